import { randomUUID } from 'node:crypto';
import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import { plainError } from '../../api/status.ts';
import { isJsonObject, jsonEqual, type Json } from '../../util/json.ts';
import { callWebhook, type WebhookClientDeps } from '../admission/webhook-client.ts';
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
    if (problem !== undefined) throw failed(`returned invalid converted object at index 0: ${problem}`);
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
const immutableMetadata = ['name', 'generateName', 'namespace', 'uid'] as const;

function checkConverted(converted: Json | undefined, original: KubeObject, apiVersion: string): string | undefined {
  if (!isJsonObject(converted)) return 'invalid type, expected=Unstructured';
  if (converted['apiVersion'] !== apiVersion)
    return `invalid groupVersion (expected ${apiVersion}, received ${String(converted['apiVersion'] ?? '')})`;
  if (converted['kind'] !== original.kind) return `invalid kind (expected ${original.kind}, received ${String(converted['kind'] ?? '')})`;
  const metadata = converted['metadata'];
  if (!isJsonObject(metadata)) return 'missing metadata in converted object';
  for (const field of immutableMetadata) {
    if (field !== 'generateName' && !jsonEqual(metadata[field] ?? '', original.metadata[field] ?? ''))
      return `metadata.${field} changed: expected ${JSON.stringify(original.metadata[field] ?? '')}, got ${JSON.stringify(metadata[field] ?? '')}`;
  }
  return undefined;
}

function withMetadata(converted: KubeObject, original: ObjectMeta): KubeObject {
  const { labels: _labels, annotations: _annotations, ...kept } = original;
  const { labels, annotations } = converted.metadata;
  return { ...converted, metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) } };
}
