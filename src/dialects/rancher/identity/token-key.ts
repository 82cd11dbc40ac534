import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { tokenPattern } from '../../../core/registration/registration-token.ts';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const namePattern = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
/** Before the names of the newer kind of tokens. */
const newerPrefix = 'ext/';

export interface ShownToken {
  readonly name: string;
  readonly key: string;
}

/** Reads `name:key`. Undefined when it cannot be a token of ours. */
export function parseBearer(text: string): ShownToken | undefined {
  const colon = text.indexOf(':');
  if (colon < 0 || text.length > 400) return undefined;
  const shown = text.slice(0, colon);
  const name = shown.startsWith(newerPrefix) ? shown.slice(newerPrefix.length) : shown;
  const key = text.slice(colon + 1);
  return namePattern.test(name) && tokenPattern.test(key) ? { name, key } : undefined;
}

/** The end of a generated name, as Rancher's are. */
export const newSuffix = (length = 5): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

const version = '3';

/** `$3:<salt>:<SHA3-512>`: the key is long and random, so a quick hash gives nothing away. */
export function hashKey(key: string): string {
  const salt = randomBytes(16);
  return `$${version}:${salt.toString('base64url')}:${digest(key, salt).toString('base64url')}`;
}

export function isKeyOf(hash: string, key: string): boolean {
  const [mark, salt = '', kept = '', ...rest] = hash.split(':');
  if (mark !== `$${version}` || rest.length > 0 || salt === '' || kept === '') return false;
  const wanted = Buffer.from(kept, 'base64url');
  const given = digest(key, Buffer.from(salt, 'base64url'));
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

const digest = (key: string, salt: Buffer) => createHash('sha3-512').update(salt).update(key).digest();
