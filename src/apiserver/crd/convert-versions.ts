import { randomUUID } from 'node:crypto';
import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import { plainError } from '../../api/status.ts';
import { goTypeName } from '../../util/go-print.ts';
import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { callWebhook, type WebhookClientDeps } from '../admission/webhook-client.ts';
import { validateAnnotations, validateLabels } from '../validation/object-meta.ts';
import type { CrdSpec } from './crd-object.ts';

/** Turns an object of one version into one of another. The result shares nothing that may be changed with the original. */
export type ConvertVersion = (obj: KubeObject, apiVersion: string) => KubeObject | Promise<KubeObject>;

/** How long a conversion webhook may take. */
const webhookTimeoutSeconds = 30;

/** The converter that a definition asks for. `webhooks` reaches the webhook of strategy Webhook. */
export function versionConverter(spec: CrdSpec, webhooks: WebhookClientDeps | undefined): ConvertVersion {
  if (spec.conversion?.strategy !== 'Webhook') return (obj, apiVersion) => ({ ...obj, apiVersion });
  const { clientConfig = {}, conversionReviewVersions = [] } = spec.conversion.webhook ?? {};
  const reviewVersion = conversionReviewVersions.find(version => version === 'v1' || version === 'v1beta1');

  return async (obj, apiVersion) => {
    const failed = (why: string) => plainError(`conversion webhook for ${obj.apiVersion}, Kind=${obj.kind} ${why}`);
    if (reviewVersion === undefined) throw plainError('no supported conversion review versions');
    if (!webhooks) throw failed('failed: no connection to webhooks');
    const uid = randomUUID();
    let answer: Json;
    try {
      answer = await callWebhook(webhooks, {
        client: clientConfig,
        timeoutSeconds: webhookTimeoutSeconds,
        signal: new AbortController().signal,
        body: {
          kind: 'ConversionReview',
          apiVersion: `apiextensions.k8s.io/${reviewVersion}`,
          request: { uid, desiredAPIVersion: apiVersion, objects: [obj as unknown as Json] },
        },
      });
    } catch (cause) {
      throw failed(`failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
    const outcome = readReview(answer, uid, reviewVersion);
    if ('problem' in outcome) throw failed(`failed: ${outcome.problem}`);
    if (outcome.objects.length !== 1) throw failed(`returned ${outcome.objects.length} objects, expected 1`);
    const problem = checkConverted(outcome.objects[0], obj, apiVersion);
    if (problem !== undefined) throw failed(`returned invalid ${problem}`);
    return withMetadata(outcome.objects[0] as unknown as KubeObject, obj.metadata);
  };
}

function readReview(answer: Json, uid: string, reviewVersion: string): { problem: string } | { objects: Json[] } {
  if (!isJsonObject(answer)) return { problem: 'no response provided' };
  const { response, apiVersion, kind } = answer;
  const wanted = `apiextensions.k8s.io/${reviewVersion}`;
  if (reviewVersion === 'v1' && (apiVersion !== wanted || kind !== 'ConversionReview')) {
    return {
      problem: `expected webhook response of ${wanted}, Kind=ConversionReview, got ${String(apiVersion ?? '')}, Kind=${String(kind ?? '')}`,
    };
  }
  if (!isJsonObject(response)) return { problem: 'no response provided' };
  if (reviewVersion === 'v1' && response['uid'] !== uid)
    return { problem: `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}` };
  const result = isJsonObject(response['result']) ? response['result'] : {};
  if (result['status'] !== 'Success') {
    const message = result['message'];
    return {
      problem:
        typeof message === 'string' && message !== ''
          ? message
          : `response.result.status was '${String(result['status'] ?? '')}', not 'Success'`,
    };
  }
  return { objects: Array.isArray(response['convertedObjects']) ? response['convertedObjects'] : [] };
}

/** A webhook may change labels and annotations, and nothing else of metadata. */
const immutableMetadata = { name: 'name', namespace: 'namespace', uid: 'UID' } as const;

/** What is wrong with a converted object, after the words "returned invalid". */
function checkConverted(converted: Json | undefined, original: KubeObject, apiVersion: string): string | undefined {
  if (!isJsonObject(converted)) return 'object at index 0: not an object';
  const type = (name: string, expected: string, received: Json | undefined) =>
    `object at index 0: invalid ${name} (expected ${expected}, received ${String(received ?? '')})`;
  if (converted['apiVersion'] !== apiVersion) return type('groupVersion', apiVersion, converted['apiVersion']);
  if (converted['kind'] !== original.kind) return type('kind', original.kind, converted['kind']);
  const { metadata } = converted;
  const given = isJsonObject(metadata) ? metadata : {};
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const [before, after] = [original.metadata[field] ?? '', String(given[field] ?? '')];
    if (before !== after) return `object: must have the same ${immutableMetadata[field]}: ${before} != ${after}`;
  }
  if (metadata === undefined) return 'metadata: missing metadata in converted object';
  if (!isJsonObject(metadata)) return `metadata: invalid metadata of type ${goTypeName(metadata)} in converted object`;
  return labelProblem(metadata, original.metadata);
}

function labelProblem(metadata: JsonObject, original: ObjectMeta): string | undefined {
  for (const field of ['labels', 'annotations'] as const) {
    const given = metadata[field];
    if (given === undefined || given === null) continue;
    if (!isJsonObject(given)) return `metadata: invalid metadata.${field} of type ${goTypeName(given)} in converted object`;
    for (const [key, value] of Object.entries(given)) {
      if (typeof value !== 'string')
        return `metadata: metadata.${field}[${key}] must be a string, but is ${goTypeName(value)} in converted object`;
    }
    if (jsonEqual(given, original[field] ?? {})) continue;
    const texts = given as Record<string, string>;
    const errors = field === 'labels' ? validateLabels(texts, 'metadata.labels') : validateAnnotations(texts, 'metadata.annotation');
    const lines = errors.map(error => `${error.field}: ${error.message}`);
    if (lines.length > 0) return `metadata: ${lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`}`;
  }
  return undefined;
}

function withMetadata(converted: KubeObject, original: ObjectMeta): KubeObject {
  const { labels: _labels, annotations: _annotations, ...kept } = original;
  const { labels, annotations } = converted.metadata;
  return { ...converted, metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) } };
}
