import { invalid, type FieldError } from '../api/field-error.ts';
import type { AuthenticationV1TokenRequest, Pod, TokenRequestSpec } from '../api/kubernetes.ts';
import { parseApiVersion, type KubeObject } from '../api/object.ts';
import { badRequest, conflict, invalidObject, notFoundError } from '../api/status.ts';
import type { ClusterApi } from '../apiserver/cluster-api.ts';
import type { ObjectRef, ServiceAccountTokens } from './service-account-tokens.ts';
import { timestamp } from '../util/timestamp.ts';

export interface TokenRequestContext {
  readonly api: ClusterApi;
  readonly tokens: ServiceAccountTokens;
  /** From the URL. */
  readonly namespace: string;
  readonly name: string;
  readonly now: Date;
  warn(text: string): void;
  auditAnnotation(key: string, value: string): void;
}

const gk = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const minExpirationSeconds = 600;
const maxExpirationSeconds = 2 ** 32;
// What projected volumes of pods ask for; such tokens live a year and only remark upon their age.
const warnOnlyExpirationSeconds = 60 * 60 + 7;
const extendedExpirationSeconds = 365 * 24 * 60 * 60;

/** The request with what it leaves unsaid filled in: what admission judges. Throws when it cannot be meant for the account. */
export function completeTokenRequest(obj: KubeObject, ctx: TokenRequestContext): KubeObject {
  checkTarget(obj, ctx);
  const account = find(ctx.api, 'serviceaccounts', ctx.namespace, ctx.name);
  const uid = account.metadata.uid ?? '';
  if (obj.metadata.uid !== undefined && obj.metadata.uid !== '' && obj.metadata.uid !== uid)
    throw conflict(
      { group: gk.group, resource: gk.kind },
      ctx.name,
      `the UID in the token request (${obj.metadata.uid}) does not match the UID of the service account (${uid})`,
    );

  const spec = completeSpec((obj as AuthenticationV1TokenRequest).spec, ctx.tokens.audiences);
  const errors = validateSpec(spec);
  if (errors.length > 0) throw invalidObject(gk, '', errors);
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { ...obj.metadata, name: ctx.name, namespace: ctx.namespace, uid, creationTimestamp: timestamp(ctx.now) },
    spec: { ...spec, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token: '', expirationTimestamp: null },
  };
}

/** Answers POST serviceaccounts/<name>/token. Returns the object to show; nothing is stored. */
export function handleTokenRequest(obj: KubeObject, ctx: TokenRequestContext): KubeObject {
  const complete = completeTokenRequest(obj, ctx);
  const account = find(ctx.api, 'serviceaccounts', ctx.namespace, ctx.name);
  const spec = { ...(complete.spec as unknown as CompleteSpec) };
  const bound = findBound(spec, ctx);
  limitExpiration(spec, ctx);

  const isExtended =
    bound.pod !== undefined &&
    spec.expirationSeconds === warnOnlyExpirationSeconds &&
    spec.audiences.every(a => ctx.tokens.audiences.includes(a));
  const { token, id } = ctx.tokens.issue({
    account,
    audiences: spec.audiences,
    expirationSeconds: isExtended ? extendedExpirationSeconds : spec.expirationSeconds,
    ...(isExtended && { warnAfterSeconds: spec.expirationSeconds }),
    ...bound,
    now: ctx.now,
  });
  ctx.auditAnnotation('authentication.kubernetes.io/issued-credential-id', `JTI=${id}`);
  return {
    ...complete,
    spec,
    status: { token, expirationTimestamp: timestamp(new Date(ctx.now.getTime() + spec.expirationSeconds * 1000)) },
  };
}

type CompleteSpec = TokenRequestSpec & { audiences: string[]; expirationSeconds: number };

function completeSpec(spec: TokenRequestSpec | undefined, audiences: readonly string[]): CompleteSpec {
  const wanted = spec?.audiences ?? [];
  return { ...spec, audiences: wanted.length > 0 ? wanted : [...audiences], expirationSeconds: spec?.expirationSeconds ?? 3600 };
}

function checkTarget(obj: KubeObject, { namespace, name }: TokenRequestContext): void {
  const wanted = obj.metadata;
  if (wanted.name !== undefined && wanted.name !== '' && wanted.name !== name)
    throw invalidObject(gk, name, [invalid('metadata.name', wanted.name, 'must match the service account name if specified')]);
  if (wanted.namespace !== undefined && wanted.namespace !== '' && wanted.namespace !== namespace)
    throw invalidObject(gk, name, [
      invalid('metadata.namespace', wanted.namespace, 'must match the service account namespace if specified'),
    ]);
}

function validateSpec({ expirationSeconds }: CompleteSpec): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (expirationSeconds < minExpirationSeconds)
    return [invalid(field, expirationSeconds, 'may not specify a duration less than 10 minutes')];
  if (expirationSeconds > maxExpirationSeconds)
    return [invalid(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

function limitExpiration(spec: CompleteSpec, { tokens, warn }: TokenRequestContext): void {
  const max = tokens.maxExpirationSeconds;
  if (max <= 0 || spec.expirationSeconds <= max) return;
  warn(`requested expiration of ${spec.expirationSeconds} seconds shortened to ${max} seconds`);
  spec.expirationSeconds = max;
}

function findBound(spec: CompleteSpec, ctx: TokenRequestContext): { pod?: ObjectRef; node?: ObjectRef; secret?: ObjectRef } {
  const ref = spec.boundObjectRef;
  if (!ref) return {};
  const { group, version } = parseApiVersion(ref.apiVersion ?? '');
  const kind = ref.kind ?? '';
  const name = ref.name ?? '';
  if (group !== '' || (kind !== 'Pod' && kind !== 'Node' && kind !== 'Secret'))
    throw badRequest(`cannot bind token to object of type ${group === '' ? version : `${group}/${version}`}, Kind=${kind}`);

  const found = find(ctx.api, `${kind.toLowerCase()}s`, kind === 'Node' ? '' : ctx.namespace, name);
  if (kind === 'Pod' && (found as Pod).spec?.serviceAccountName !== ctx.name)
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(ctx.name)} to pod running with different serviceaccount name.`);
  if (ref.uid !== undefined && ref.uid !== '' && ref.uid !== found.metadata.uid)
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  const bound = refTo(found);
  if (kind === 'Secret') return { secret: bound };
  return kind === 'Node' ? { node: bound } : { pod: bound, ...nodeOf(found as Pod, ctx.api) };
}

function nodeOf(pod: Pod, api: ClusterApi): { node?: ObjectRef } {
  const name = pod.spec?.nodeName ?? '';
  if (name === '') return {};
  const node = api.peek({ group: '', resource: 'nodes' }, '', name);
  return { node: node ? refTo(node) : { name } };
}

function refTo({ metadata: { name = '', uid } }: KubeObject): ObjectRef {
  return { name, ...(uid !== undefined && { uid }) };
}

function find(api: ClusterApi, resource: string, namespace: string, name: string): KubeObject {
  const found = api.peek({ group: '', resource }, namespace, name);
  if (!found) throw notFoundError({ group: '', resource }, name);
  return found;
}
