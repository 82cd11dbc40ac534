import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Secret } from '../../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { isJsonObject, type JsonObject } from '../../../util/json.ts';
import { invalidField } from '../v3/norman-error.ts';
import { passwordNamespace } from './identity-names.ts';
import { parseTokenWish, type SignInWish } from './token-wish.ts';

/** What a program in a terminal asks for, until somebody who is signed in has decided and the program has heard of it. */
export interface ProgramLogin {
  /** SHA-256 of a secret that only the program knows, in base64url: S256 of RFC 7636. */
  readonly challenge: string;
  /** What it calls itself. It may lie. */
  readonly program: string;
  /** The address it asked from. */
  readonly from: string;
  readonly askedAtMs: number;
  readonly endsAtMs: number;
  readonly ttlMs?: number | undefined;
  /** Where the program listens on the machine of whoever allows it. Without it, it asks again and again. */
  readonly loopback?: Loopback | undefined;
  readonly verdict?: Verdict | undefined;
}

export interface Loopback {
  readonly port: number;
  readonly state: string;
}

export type Verdict =
  | { readonly isAllowed: false }
  /** `passHash`: of what the browser brings to the program. */
  | { readonly isAllowed: true; readonly userId: string; readonly authProvider: string; readonly passHash?: string | undefined };

const lifetimeMs = 10 * 60_000;
/** No vowels, so that no code is a word, and nothing that looks like something else. */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ';
const codePattern = new RegExp(`^([${alphabet}]{4})-?([${alphabet}]{4})$`);
const challengePattern = /^[A-Za-z0-9_-]{43}$/;
const statePattern = /^[A-Za-z0-9_-]{20,128}$/;
const maxProgram = 200;

export const loginLabel = 'drover.io/program-login';
const contentKey = 'login';

/** `BCDF-GHJK`, for people to compare and to type. */
export function newCode(): string {
  const letters = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** A code as somebody typed it, in the form that it has. Undefined when it is none. */
export function readCode(text: string): string | undefined {
  const [, first, second] = codePattern.exec(text.trim().toUpperCase()) ?? [];
  return first === undefined ? undefined : `${first}-${second}`;
}

/** Throws 422. */
export function parseLogin(body: JsonObject, { from, nowMs }: { from: string; nowMs: number }): ProgramLogin {
  const { challenge, program, port, state } = body;
  if (typeof challenge !== 'string' || !challengePattern.test(challenge))
    throw invalidField('InvalidFormat', 'challenge', 'challenge must be a SHA-256 in base64url');
  if (typeof program !== 'string' || program === '' || program.length > maxProgram || /\p{C}/u.test(program))
    throw invalidField('InvalidFormat', 'program', `program must be a text of at most ${maxProgram} characters`);
  const { ttlMs } = wishOf(program, body['ttl']);
  const loopback = port === undefined ? undefined : parseLoopback(port, state);
  return { challenge, program, from, askedAtMs: nowMs, endsAtMs: nowMs + lifetimeMs, ttlMs, loopback };
}

/** An ordinary token of the hub, as kubeconfigs hold them. */
export const wishOf = (description: string, ttl: JsonObject[string] | undefined): SignInWish =>
  parseTokenWish({ responseType: 'kubeconfig', description, ...(ttl !== undefined && { ttl }) });

function parseLoopback(port: unknown, state: unknown): Loopback {
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw invalidField('InvalidFormat', 'port', 'port must be that of a listener on the machine of the program');
  if (typeof state !== 'string' || !statePattern.test(state))
    throw invalidField('InvalidFormat', 'state', 'state must be 20 to 128 letters, digits, "-" and "_"');
  return { port, state };
}

/** Nobody is ever sent anywhere else than to their own machine. */
export const returnAddress = ({ port, state }: Loopback, pass: string): string =>
  `http://127.0.0.1:${port}/?${new URLSearchParams({ code: pass, state }).toString()}`;

export const newPass = (): string => randomBytes(32).toString('base64url');

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Whether somebody knows what the hash was made of. */
export function knows(secret: unknown, hash: string): boolean {
  if (typeof secret !== 'string' || secret.length > 256) return false;
  const [given, wanted] = [Buffer.from(hashOf(secret)), Buffer.from(hash)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

export const secretName = (code: string): string => `login-${code.toLowerCase()}`;

/** Beside passwords: whoever could write one of them could be anybody as well. */
export function loginSecret(code: string, login: ProgramLogin): Secret {
  return {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: {
      name: secretName(code),
      namespace: passwordNamespace,
      labels: { [loginLabel]: 'true', 'app.kubernetes.io/managed-by': 'drover' },
    },
    type: 'drover.io/program-login',
    data: contentOf(login),
  };
}

export const contentOf = (login: ProgramLogin): Record<string, string> => ({
  [contentKey]: Buffer.from(JSON.stringify(login)).toString('base64'),
});

/** Undefined for what is no login. Only the hub writes them. */
export function readLogin({ data, metadata }: Secret): ProgramLogin | undefined {
  if (metadata.labels?.[loginLabel] === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(data?.[contentKey] ?? '', 'base64').toString('utf8'));
    return isJsonObject(value) ? (value as unknown as ProgramLogin) : undefined;
  } catch {
    return undefined;
  }
}
