import { randomBytes, type KeyObject } from 'node:crypto';
import { isSignedWith, parseJwt, signJwt, tokenKey } from '../auth/jwt.ts';
import type { ProofClaims } from './protocol.ts';

const toleranceSeconds = 60;

/** A short proof that its bearer holds the key of an agent. `now` is the time of the hub. */
export function signProof(key: KeyObject, { user, audience, now }: { user: string; audience: string; now: Date }): string {
  const claims: ProofClaims = {
    sub: user,
    aud: audience,
    iat: Math.floor(now.getTime() / 1000),
    jti: randomBytes(16).toString('base64url'),
  };
  return signJwt(key, tokenKey(key), claims);
}

/**
 * The claims of a proof that was signed with this key and is fresh. Throws an Error that says what is wrong. Whether subject and audience are
 * right and the identifier is new is for the caller to say.
 */
export function verifyProof(proof: string, publicKey: KeyObject, now: Date): ProofClaims {
  const key = tokenKey(publicKey);
  const jwt = parseJwt(proof);
  if (!jwt || key.algorithm !== 'ES256' || !isSignedWith(jwt, key))
    throw new Error('the proof is not signed with the key of the certificate');
  const { sub, aud, iat, jti } = jwt.claims;
  if (typeof sub !== 'string' || typeof aud !== 'string') throw new Error('the proof names no subject or no audience');
  if (typeof jti !== 'string' || !/^[\w-]{16,64}$/.test(jti)) throw new Error('the proof has no usable identifier');
  if (typeof iat !== 'number' || !Number.isSafeInteger(iat)) throw new Error('the proof does not say when it was made');
  if (Math.abs(now.getTime() / 1000 - iat) > toleranceSeconds) throw new Error('the proof is not fresh');
  return { sub, aud, iat, jti };
}
