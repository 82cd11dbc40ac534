import { isSignedWith, parseJwt, type TokenKey } from '../../../../auth/jwt.ts';

export interface ExpectedIdToken {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for tokens that come with a refresh: those need not repeat it. */
  readonly nonce: string | undefined;
  readonly nowMs: number;
}

export type Claims = Readonly<Record<string, unknown>>;

const leewayMs = 60_000;
const maxSubjectLength = 255;

/**
 * What a provider says about a person, once it is certain that the provider said so, to us, just now, and in answer to our question (OpenID Connect Core 3.1.3.7). Throws
 * otherwise. Keys come from the provider alone; the token has no say in how it is checked.
 */
export function verifyIdToken(token: string, keys: readonly TokenKey[], expected: ExpectedIdToken): Claims & { readonly sub: string } {
  const jwt = parseJwt(token);
  if (!jwt) throw refused('it is no token');
  const candidates = keys.filter(key => jwt.header.kid === '' || key.id === jwt.header.kid);
  if (!candidates.some(key => isSignedWith(jwt, key))) throw refused('its signature is not by the provider');

  const { iss, aud, azp, exp, iat, nbf, nonce, sub } = jwt.claims;
  if (iss !== expected.issuer) throw refused('it is from another issuer');
  const audience = Array.isArray(aud) ? (aud as unknown[]) : [aud];
  if (!audience.includes(expected.clientId)) throw refused('it is for somebody else');
  if ((azp !== undefined || audience.length > 1) && azp !== expected.clientId) throw refused('it was given to somebody else');
  checkTimes({ exp, iat, nbf }, expected.nowMs);
  if (expected.nonce !== undefined ? nonce !== expected.nonce : false) throw refused('it answers another question');
  if (typeof sub !== 'string' || sub === '' || sub.length > maxSubjectLength) throw refused('it names nobody');
  return { ...jwt.claims, sub };
}

/** The key that a token says it was signed with. */
export const keyIdOf = (token: string): string => parseJwt(token)?.header.kid ?? '';

function checkTimes({ exp, iat, nbf }: Record<'exp' | 'iat' | 'nbf', unknown>, nowMs: number): void {
  if (typeof exp !== 'number' || exp * 1000 + leewayMs <= nowMs) throw refused('it has expired');
  if (typeof iat !== 'number' || iat * 1000 - leewayMs > nowMs) throw refused('it is from the future');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 - leewayMs <= nowMs)) throw refused('it does not hold yet');
}

const refused = (why: string) => new Error(`the ID token of the provider is refused: ${why}`);
