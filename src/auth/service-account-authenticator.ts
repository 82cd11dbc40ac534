import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Secret, ServiceAccount } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import type { ClusterApi } from '../apiserver/cluster-api.ts';
import { goQuoteList } from '../util/go-quote.ts';
import { isSignedWith, parseJwt, type ParsedJwt } from './jwt.ts';
import { legacyIssuer, type ServiceAccountTokens } from './service-account-tokens.ts';
import { serviceAccountGroups, serviceAccountUsername, splitServiceAccountUsername } from './service-account-user.ts';
import type { UserInfo } from './user.ts';

export interface TokenIdentity {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
  readonly warnings?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Whether the token is still good, for those that can be taken back. */
  readonly stillHolds?: () => boolean;
}

export interface ServiceAccountAuthenticatorDeps {
  api: ClusterApi;
  tokens: ServiceAccountTokens;
  now(): Date;
  /** Hears when the day of last use could not be noted on a token Secret. */
  onError?(error: unknown): void;
}

const leewayMs = 60_000;
const invalidated = 'service account token has been invalidated';
const lastUsed = 'kubernetes.io/legacy-token-last-used';
const invalidSince = 'kubernetes.io/legacy-token-invalid-since';

// Shared by all clusters of the process, which may be thousands: the digests name the keys that were asked.
const verified = new LRUCache<string, ParsedJwt>({ max: 8192, ttl: 60_000 });

/**
 * Knows the users behind service account tokens. Returns undefined for tokens of other issuers and throws an Error with the real server's text
 * for bad ones. Only the check of the signature is remembered: whether the account, Pod, Node or Secret still exists is looked up every time, so
 * a token dies with them.
 */
export function serviceAccountAuthenticator({ api, tokens, now, onError }: ServiceAccountAuthenticatorDeps) {
  const askedOf = tokens.keys.map(key => key.id).join();

  return function authenticate(token: string, audiences: readonly string[]): TokenIdentity | undefined {
    const jwt = verify(token);
    if (!jwt) return undefined;
    const { aud } = jwt.claims;
    const own = aud === undefined ? [] : ((Array.isArray(aud) ? aud : [aud]) as string[]);
    const tokenAudiences = own.length === 0 ? tokens.audiences : own;
    const shared = tokenAudiences.filter(audience => audiences.includes(audience));
    if (shared.length === 0)
      throw new Error(`token audiences ${goQuoteList(tokenAudiences)} is invalid for the target audiences ${goQuoteList(audiences)}`);
    const identity = jwt.claims['iss'] === legacyIssuer ? legacyIdentity(token, jwt) : boundIdentity(jwt);
    const annotations =
      own.length > 0 ? identity.annotations : { ...identity.annotations, 'authentication.k8s.io/legacy-token': identity.user.name };
    return { ...identity, audiences: shared, ...(annotations && { annotations }) };
  };

  function verify(token: string): ParsedJwt | undefined {
    const digest = createHash('sha256').update(`${askedOf} ${token}`).digest('base64');
    const known = verified.get(digest);
    if (known) return known;
    const jwt = parseJwt(token);
    if (!jwt || (jwt.claims['iss'] !== tokens.issuer && jwt.claims['iss'] !== legacyIssuer)) return undefined;
    const keys = jwt.header.kid === '' ? tokens.keys : tokens.keys.filter(key => key.id === jwt.header.kid);
    if (keys.length === 0) throw new Error('invalid signature, no keys found');
    if (!keys.some(key => isSignedWith(jwt, key))) throw new Error('go-jose/go-jose: error in cryptographic primitive');
    verified.set(digest, jwt);
    return jwt;
  }

  function boundIdentity({ claims }: ParsedJwt): Omit<TokenIdentity, 'audiences'> {
    checkTimes(claims, now().getTime());
    const { namespace, serviceaccount, pod, node, secret, warnafter } = readBoundClaims(claims);
    const account = api.peek({ group: '', resource: 'serviceaccounts' }, namespace, serviceaccount.name);
    if (!account) throw new Error(`serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`);
    if (account.metadata.uid !== serviceaccount.uid)
      throw new Error(`service account UID (${account.metadata.uid ?? ''}) does not match claim (${serviceaccount.uid})`);
    if (isLongDeleted(account)) throw new Error(`service account ${namespace}/${serviceaccount.name} has been deleted`);
    if (secret) checkBound('secret', api.peek({ group: '', resource: 'secrets' }, namespace, secret.name), secret);
    if (pod) checkBound('pod', api.peek({ group: '', resource: 'pods' }, namespace, pod.name), pod);
    if (node && !pod) checkBound('node', api.peek({ group: '', resource: 'nodes' }, '', node.name), node);

    const jti = claims['jti'];
    const extra = new Map<string, string[]>();
    if (typeof jti === 'string' && jti !== '') extra.set('authentication.kubernetes.io/credential-id', [`JTI=${jti}`]);
    if (node && node.name !== '') extra.set('authentication.kubernetes.io/node-name', [node.name]);
    if (node && node.name !== '' && node.uid !== '') extra.set('authentication.kubernetes.io/node-uid', [node.uid]);
    if (pod) extra.set('authentication.kubernetes.io/pod-name', [pod.name]).set('authentication.kubernetes.io/pod-uid', [pod.uid]);
    const stale = warnafter === undefined ? 0 : Math.floor(now().getTime() / 1000) - warnafter;
    return {
      user: userOf(namespace, serviceaccount.name, serviceaccount.uid, Object.fromEntries(extra)),
      ...(stale > 0 && {
        annotations: {
          'authentication.k8s.io/stale-token': `subject: ${text(claims['sub'])}, seconds after warning threshold: ${stale}`,
        },
      }),
    };
  }

  function checkBound(kind: 'secret' | 'pod' | 'node', present: KubeObject | undefined, ref: Ref): void {
    if (!present) throw new Error(invalidated);
    if (present.metadata.uid !== ref.uid)
      throw new Error(`${kind} UID (${present.metadata.uid ?? ''}) does not match service account ${kind} ref claim (${ref.uid})`);
    if (isLongDeleted(present)) throw new Error(invalidated);
  }

  function isLongDeleted({ metadata: { deletionTimestamp } }: KubeObject): boolean {
    return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now().getTime() - leewayMs;
  }

  function legacyIdentity(token: string, { claims }: ParsedJwt): Omit<TokenIdentity, 'audiences'> {
    const { namespace, secretName, name, uid } = readLegacyClaims(claims);
    const secret = api.peek({ group: '', resource: 'secrets' }, namespace, secretName) as (KubeObject & Secret) | undefined;
    if (!secret || secret.metadata.deletionTimestamp !== undefined) throw new Error('Token has been invalidated');
    if (!equalInConstantTime(Buffer.from(secret.data?.['token'] ?? '', 'base64'), Buffer.from(token)))
      throw new Error("Token does not match server's copy");
    const account = api.peek({ group: '', resource: 'serviceaccounts' }, namespace, name) as (KubeObject & ServiceAccount) | undefined;
    if (!account) throw new Error(`serviceaccounts ${JSON.stringify(name)} not found`);
    if (account.metadata.deletionTimestamp !== undefined) throw new Error(`ServiceAccount ${namespace}/${name} has been deleted`);
    if (account.metadata.uid !== uid) throw new Error(`ServiceAccount UID (${account.metadata.uid ?? ''}) does not match claim (${uid})`);
    noteUse(secret);
    if ((secret.metadata.labels?.[invalidSince] ?? '') !== '')
      throw new Error(
        `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
      );
    const isAutoGenerated = account.secrets?.some(ref => ref.name === secretName) ?? false;
    return {
      user: userOf(namespace, name, uid, {}),
      ...(isAutoGenerated && {
        warnings: [
          'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
        ],
      }),
      annotations: { [`authentication.k8s.io/legacy-token-${isAutoGenerated ? 'autogenerated' : 'manual'}-secret`]: secretName },
    };
  }

  function noteUse({ metadata }: KubeObject): void {
    const today = now().toISOString().slice(0, 10);
    const tomorrow = new Date(now().getTime() + 86_400_000).toISOString().slice(0, 10);
    const noted = metadata.labels?.[lastUsed];
    if (noted === today || noted === tomorrow) return;
    const target = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    const body = { metadata: { uid: metadata.uid ?? '', labels: { [lastUsed]: today } } };
    api
      .patch({ group: '', version: 'v1', resource: 'secrets' }, target, { type: 'merge', body }, { fieldManager: 'kube-apiserver' })
      .catch((error: unknown) => onError?.(error));
  }
}

function checkTimes(claims: Readonly<Record<string, unknown>>, nowMs: number): void {
  const at = (name: string) => (typeof claims[name] === 'number' ? claims[name] * 1000 : undefined);
  const nbf = at('nbf');
  const exp = at('exp');
  const iat = at('iat');
  if (nbf !== undefined && nowMs + leewayMs < nbf) throw new Error('service account token is not valid yet');
  if (exp === undefined || nowMs - leewayMs > exp) throw new Error('service account token has expired');
  if (iat !== undefined && nowMs + leewayMs < iat) throw new Error('service account token is issued in the future');
}

interface Ref {
  name: string;
  uid: string;
}

function readBoundClaims(claims: Readonly<Record<string, unknown>>) {
  const own = record(claims['kubernetes.io']);
  const ref = (value: unknown): Ref | undefined =>
    value === undefined || value === null ? undefined : { name: text(record(value)['name']), uid: text(record(value)['uid']) };
  return {
    namespace: text(own['namespace']),
    serviceaccount: ref(own['serviceaccount']) ?? { name: '', uid: '' },
    pod: ref(own['pod']),
    node: ref(own['node']),
    secret: ref(own['secret']),
    warnafter: typeof own['warnafter'] === 'number' && own['warnafter'] !== 0 ? own['warnafter'] : undefined,
  };
}

function readLegacyClaims(claims: Readonly<Record<string, unknown>>) {
  const own = (name: string) => text(claims[`kubernetes.io/serviceaccount/${name}`]);
  const subject = text(claims['sub']);
  const found = {
    namespace: own('namespace'),
    secretName: own('secret.name'),
    name: own('service-account.name'),
    uid: own('service-account.uid'),
  };
  if (subject === '') throw new Error('sub claim is missing');
  if (found.namespace === '') throw new Error('namespace claim is missing');
  if (found.secretName === '') throw new Error('secretName claim is missing');
  if (found.name === '') throw new Error('serviceAccountName claim is missing');
  if (found.uid === '') throw new Error('serviceAccountUID claim is missing');
  const named = splitServiceAccountUsername(subject);
  if (named?.namespace !== found.namespace || named.name !== found.name) throw new Error('sub claim is invalid');
  return found;
}

function userOf(namespace: string, name: string, uid: string, extra: Record<string, string[]>): UserInfo {
  return {
    name: serviceAccountUsername(namespace, name),
    uid,
    groups: serviceAccountGroups(namespace),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const record = (value: unknown) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

function equalInConstantTime(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
