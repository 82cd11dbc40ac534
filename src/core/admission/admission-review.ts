import type { KubeObject } from '../../api/object.ts';
import { badRequest, StatusError, type Status } from '../../api/status.ts';
import type { UserInfo } from '../../auth/user.ts';
import { isJsonObject, printJson, type Json, type JsonObject } from '../../util/json.ts';

/** What an API server asks before it writes. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Who wants to write. */
  readonly user: UserInfo;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

export interface AdmissionAnswer {
  /** Why it may not be. Allowed when absent. */
  readonly refusal?: StatusError;
  readonly warnings?: readonly string[];
  /** To be done to the object first: operations of a JSON patch. Only when the API server asks for changes. */
  readonly patch?: readonly JsonObject[];
}

/** Answers what one dialect has to say about its objects: what to change in them, or whether they may be. */
export interface AdmissionReviewer {
  mutate(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionAnswer>;
  validate(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionAnswer>;
}

const operations = ['CREATE', 'UPDATE', 'DELETE'] as const;

/** Reads an AdmissionReview of version v1. Throws 400. */
export function parseReview(body: JsonObject): AdmissionRequest {
  const { apiVersion, kind, request } = body;
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview' || !isJsonObject(request))
    throw badRequest('the body must be an AdmissionReview of admission.k8s.io/v1');
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  const operation = operations.find(one => one === request['operation']);
  const type = isJsonObject(request['kind']) ? request['kind'] : {};
  const uid = text(request['uid']);
  if (!operation || uid === '') throw badRequest('the review needs a uid and an operation');
  return {
    uid,
    operation,
    group: text(type['group']),
    kind: text(type['kind']),
    namespace: text(request['namespace']),
    name: text(request['name']),
    user: userOf(request['userInfo']),
    object: objectOf(request['object']),
    oldObject: objectOf(request['oldObject']),
  };
}

function userOf(value: Json | undefined): UserInfo {
  const { username, uid, groups, extra } = isJsonObject(value) ? value : {};
  const texts = (list: Json | undefined) => (Array.isArray(list) ? list.filter(one => typeof one === 'string') : []);
  return {
    name: typeof username === 'string' ? username : '',
    groups: texts(groups),
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    ...(isJsonObject(extra) && { extra: Object.fromEntries(Object.entries(extra).map(([key, list]) => [key, texts(list)])) }),
  };
}

function objectOf(value: Json | undefined): KubeObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value) || !isJsonObject(value['metadata'])) throw badRequest('an object of the review has no metadata');
  return value as unknown as KubeObject;
}

/** The review that goes back. */
export function reviewAnswer({ uid }: AdmissionRequest, { refusal, warnings = [], patch = [] }: AdmissionAnswer): JsonObject {
  const response: JsonObject = {
    uid,
    allowed: refusal === undefined,
    ...(refusal && { status: statusOf(refusal) as unknown as JsonObject }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(!refusal && patch.length > 0 && { patchType: 'JSONPatch', patch: Buffer.from(printJson(patch)).toString('base64') }),
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function statusOf(refusal: StatusError): Status {
  return refusal.toStatus();
}
