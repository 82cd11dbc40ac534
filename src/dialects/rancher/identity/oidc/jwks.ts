import { createPublicKey, type KeyObject } from 'node:crypto';
import type { webcrypto } from 'node:crypto';
import { tokenKey, type TokenKey } from '../../../../auth/jwt.ts';
import { isJsonObject, type JsonObject } from '../../../../util/json.ts';

const maxKeys = 100;
const leastRsaBits = 2048;

/** The keys of a provider that can sign tokens for us: public ones, each for one algorithm. Others are passed over. */
export function parseJwks(value: unknown): TokenKey[] {
  const keys = isJsonObject(value) && Array.isArray(value['keys']) ? value['keys'] : [];
  return keys
    .slice(0, maxKeys)
    .filter(isJsonObject)
    .map(parseKey)
    .filter(key => key !== undefined);
}

function parseKey(jwk: JsonObject): TokenKey | undefined {
  if ((jwk['kty'] !== 'RSA' && jwk['kty'] !== 'EC') || (jwk['use'] !== undefined && jwk['use'] !== 'sig')) return undefined;
  const publicKey = readKey(jwk);
  if (!publicKey) return undefined;
  const { algorithm } = tokenKey(publicKey);
  if (jwk['alg'] !== undefined && jwk['alg'] !== algorithm) return undefined;
  return { id: typeof jwk['kid'] === 'string' ? jwk['kid'] : '', algorithm, publicKey };
}

function readKey(jwk: JsonObject): KeyObject | undefined {
  try {
    const { kty, n, e, crv, x, y } = jwk;
    const key = createPublicKey({ key: { kty, n, e, crv, x, y } as webcrypto.JsonWebKey, format: 'jwk' });
    const isKnown = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) >= leastRsaBits : hasCurve(key);
    return isKnown ? key : undefined;
  } catch {
    return undefined;
  }
}

const hasCurve = (key: KeyObject): boolean => ['prime256v1', 'secp384r1', 'secp521r1'].includes(key.asymmetricKeyDetails?.namedCurve ?? '');
