import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** A public key that tokens may be signed with, and the only algorithm it is good for. */
export interface TokenKey {
  readonly id: string;
  readonly algorithm: 'RS256' | 'ES256' | 'ES384' | 'ES512';
  readonly publicKey: KeyObject;
}

export interface ParsedJwt {
  readonly header: { readonly alg: string; readonly kid: string };
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: string;
  readonly signature: Buffer;
}

const curves: Readonly<Record<string, TokenKey['algorithm']>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
const base64url = /^[A-Za-z0-9_-]*$/;
// Far beyond any token we issue; keeps a hostile one from costing much.
const longestTokenBytes = 64 * 1024;

/** The identifier is derived from the key as the real server does it, so equal keys have equal identifiers everywhere. */
export function tokenKey(key: KeyObject): TokenKey {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { id, algorithm: algorithmOf(publicKey), publicKey };
}

function algorithmOf(key: KeyObject): TokenKey['algorithm'] {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const algorithm = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!algorithm) throw new Error('service account keys must be RSA, or ECDSA on P-256, P-384 or P-521');
  return algorithm;
}

export function signJwt(privateKey: KeyObject, { id, algorithm }: TokenKey, claims: object): string {
  const signed = `${encode({ alg: algorithm, kid: id })}.${encode(claims)}`;
  const signature = sign(hashOf(algorithm), Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Takes a compact JWT apart without believing it. Undefined when it is none. */
export function parseJwt(token: string): ParsedJwt | undefined {
  if (token.length > longestTokenBytes) return undefined;
  const parts = token.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3 || !parts.every(part => base64url.test(part))) return undefined;
  const head = decode(header);
  const claims = decode(payload);
  if (!head || !claims || typeof head['alg'] !== 'string' || head['crit'] !== undefined) return undefined;
  return {
    header: { alg: head['alg'], kid: typeof head['kid'] === 'string' ? head['kid'] : '' },
    claims,
    signed: `${header}.${payload}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Whether this very key signed the token. The token has no say in the algorithm. */
export function isSignedWith(jwt: ParsedJwt, key: TokenKey): boolean {
  if (jwt.header.alg !== key.algorithm) return false;
  try {
    return verify(hashOf(key.algorithm), Buffer.from(jwt.signed), { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, jwt.signature);
  } catch {
    return false;
  }
}

export function jwkOf({ id, algorithm, publicKey }: TokenKey): Record<string, unknown> {
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' });
  return {
    use: 'sig',
    kty,
    kid: id,
    ...(crv !== undefined && { crv }),
    alg: algorithm,
    ...(x !== undefined && { x, y }),
    ...(n !== undefined && { n, e }),
  };
}

const hashOf = (algorithm: TokenKey['algorithm']) => `sha${algorithm.slice(2)}`;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
