import { randomUUID, type KeyObject } from 'node:crypto';
import type { KubeObject } from '../api/object.ts';
import { jwkOf, signJwt, tokenKey, type TokenKey } from './jwt.ts';
import { serviceAccountUsername } from './service-account-user.ts';

export const legacyIssuer = 'kubernetes/serviceaccount';
const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

export interface ServiceAccountTokenOptions {
  /** Signs new tokens. */
  signingKey: KeyObject;
  /** Keys of earlier days whose tokens are still good. */
  formerKeys?: readonly KeyObject[];
  issuer?: string;
  /** What tokens for this server are made out to. Default: the issuer. */
  audiences?: readonly string[];
  /** Longest life of a token, in seconds. Default: no limit. */
  maxExpirationSeconds?: number;
}

/** Makes tokens for service accounts and publishes what others need to check them. */
export interface ServiceAccountTokens {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly maxExpirationSeconds: number;
  /** The signing key comes first. */
  readonly keys: readonly TokenKey[];
  issue(request: BoundTokenRequest): { token: string; id: string };
  /** The token of a Secret of type kubernetes.io/service-account-token. It has no end of its own and dies with the Secret. */
  issueLegacy(account: KubeObject, secret: KubeObject): string;
  /** The body of `/openid/v1/jwks`. */
  jwks(): string;
  /** The body of `/.well-known/openid-configuration`. */
  openidConfiguration(jwksUri: string): string;
}

export interface BoundTokenRequest {
  account: KubeObject;
  audiences: readonly string[];
  expirationSeconds: number;
  /** From when on use of the token is worth a remark, in seconds from now. */
  warnAfterSeconds?: number;
  pod?: ObjectRef | undefined;
  node?: ObjectRef | undefined;
  secret?: ObjectRef | undefined;
  now: Date;
}

export interface ObjectRef {
  name: string;
  uid?: string;
}

export function serviceAccountTokens(options: ServiceAccountTokenOptions): ServiceAccountTokens {
  const { signingKey, formerKeys = [], issuer = defaultIssuer, audiences = [issuer], maxExpirationSeconds = 0 } = options;
  const current = tokenKey(signingKey);
  const keys = [current, ...formerKeys.map(tokenKey)];
  return {
    issuer,
    audiences,
    maxExpirationSeconds,
    keys,
    issue(request) {
      const id = randomUUID();
      return { token: signJwt(signingKey, current, boundClaims(issuer, id, request)), id };
    },
    issueLegacy: (account, secret) => signJwt(signingKey, current, legacyClaims(account, secret)),
    jwks: () => JSON.stringify({ keys: keys.map(jwkOf) }),
    openidConfiguration: jwksUri =>
      JSON.stringify({
        issuer,
        jwks_uri: jwksUri,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [...new Set(keys.map(key => key.algorithm))].sort(),
      }),
  };
}

function boundClaims(issuer: string, id: string, request: BoundTokenRequest): object {
  const { account, audiences, expirationSeconds, warnAfterSeconds, pod, node, secret, now } = request;
  const { namespace = '', name = '', uid = '' } = account.metadata;
  const seconds = Math.floor(now.getTime() / 1000);
  return {
    aud: audiences,
    exp: seconds + expirationSeconds,
    iat: seconds,
    iss: issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(node && { node }),
      ...(pod && { pod }),
      ...(secret && { secret }),
      serviceaccount: { name, uid },
      ...(warnAfterSeconds !== undefined && { warnafter: seconds + warnAfterSeconds }),
    },
    nbf: seconds,
    sub: serviceAccountUsername(namespace, name),
  };
}

function legacyClaims(account: KubeObject, secret: KubeObject): object {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  return {
    iss: legacyIssuer,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name ?? '',
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: serviceAccountUsername(namespace, name),
  };
}
