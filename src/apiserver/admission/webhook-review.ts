import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../api/object.ts';
import { StatusError, type StatusDetails } from '../../api/status.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import type { AdmissionRequest } from './admission.ts';
import { namespaceOf, type Invocation } from './match-rules.ts';

export interface Review {
  readonly uid: string;
  readonly body: JsonObject;
}

export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly status: JsonObject | undefined;
  readonly patch: string | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Undefined when the webhook accepts no version that is known. */
export function createReview(
  request: AdmissionRequest,
  invocation: Invocation,
  objects: { object: KubeObject | undefined; oldObject: KubeObject | undefined },
  versions: readonly string[],
): Review | undefined {
  const version = versions.find(v => v === 'v1' || v === 'v1beta1');
  if (version === undefined) return undefined;
  const uid = randomUUID();
  const { resource, kind, subresource, user } = request;
  const namespace = namespaceOf(request);
  const body = {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: { group: invocation.kind.group, version: invocation.kind.version, kind: invocation.kind.kind },
      resource: { ...invocation.resource },
      ...(subresource !== '' && { subResource: subresource }),
      requestKind: { group: kind.group, version: kind.version, kind: kind.kind },
      requestResource: { group: resource.group, version: resource.version, resource: resource.resource },
      ...(subresource !== '' && { requestSubResource: subresource }),
      ...(request.name !== '' && { name: request.name }),
      ...(namespace !== '' && { namespace }),
      operation: request.operation,
      userInfo: {
        username: user.name,
        ...(user.uid && { uid: user.uid }),
        ...(user.groups.length > 0 && { groups: user.groups }),
        ...(user.extra && Object.keys(user.extra).length > 0 && { extra: user.extra }),
      },
      object: objects.object ?? null,
      oldObject: objects.oldObject ?? null,
      dryRun: request.dryRun,
      options: request.options ?? null,
    },
  };
  return { uid, body: body as unknown as JsonObject };
}

/** Throws an Error whose message completes `received invalid webhook response: `. */
export function readReviewAnswer(answer: Json, review: Review, isMutating: boolean): ReviewAnswer {
  const body = isJsonObject(answer) ? answer : {};
  const response = body['response'];
  if (!isJsonObject(response)) throw new Error('webhook response was absent');
  const isV1 = review.body['apiVersion'] === 'admission.k8s.io/v1';
  const { patch, patchType } = response;
  if (isV1) {
    const uid = typeof response['uid'] === 'string' ? response['uid'] : '';
    if (uid !== review.uid) throw new Error(`expected response.uid=${JSON.stringify(review.uid)}, got ${JSON.stringify(uid)}`);
    if (body['kind'] !== 'AdmissionReview' || body['apiVersion'] !== 'admission.k8s.io/v1')
      throw new Error(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${gvkText(body)}`);
    checkPatch(patch, patchType, isMutating);
  }
  return {
    allowed: response['allowed'] === true,
    status: isJsonObject(response['status']) ? response['status'] : undefined,
    patch: isMutating && typeof patch === 'string' && patch !== '' ? patch : undefined,
    warnings: Array.isArray(response['warnings']) ? response['warnings'].map(String) : [],
    auditAnnotations: isJsonObject(response['auditAnnotations']) ? (response['auditAnnotations'] as Record<string, string>) : {},
  };
}

function checkPatch(patch: Json | undefined, patchType: Json | undefined, isMutating: boolean): void {
  const hasPatch = typeof patch === 'string' && patch !== '';
  const hasType = patchType !== undefined && patchType !== null;
  if (!isMutating) {
    if (hasPatch) throw new Error('validating webhook may not return response.patch');
    if (hasType) throw new Error('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && !hasType) throw new Error('webhook returned response.patch but not response.patchType');
  if (!hasPatch && hasType) throw new Error('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
  if (hasType && patchType !== 'JSONPatch') throw new Error(`unsupported patch type ${JSON.stringify(patchType)}`);
}

function gvkText(body: JsonObject): string {
  const { apiVersion = '', kind = '' } = body;
  return `${typeof apiVersion === 'string' ? apiVersion : ''}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

/** The refusal of a webhook as the client sees it. */
export function rejection(webhook: string, status: JsonObject | undefined): StatusError {
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { message, reason, code, details } = status ?? {};
  const why =
    typeof message === 'string' && message !== ''
      ? `: ${message}`
      : typeof reason === 'string' && reason !== ''
        ? `: ${reason}`
        : ' without explanation';
  return new StatusError(
    typeof code === 'number' && code >= 400 ? code : 400,
    typeof reason === 'string' ? reason : '',
    `${denied}${why}`,
    isJsonObject(details) ? (details as StatusDetails) : undefined,
  );
}
