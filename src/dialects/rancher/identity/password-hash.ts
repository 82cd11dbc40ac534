import { argon2, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const runArgon2 = promisify(argon2);
const runPbkdf2 = promisify(pbkdf2);

/** As OWASP advises for argon2id. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;
const saltLength = 16;
/** What Rancher uses. */
const rancherPbkdf2 = { iterations: 210_000, keyLength: 32, digest: 'sha3-512' } as const;
/** Whoever can write a hash must not be able to make the hub work for hours. */
const bounds = { memory: 262_144, passes: 16, parallelism: 8, bytes: 128 };

export interface Argon2Hash {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** A password as it is kept: our own form, or what Rancher wrote. */
export type StoredPassword = { readonly phc: string } | { readonly rancher: { readonly salt: Buffer; readonly hash: Buffer } };

/** `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`, which says itself how it is to be checked. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltLength);
  const hash = await runArgon2('argon2id', { message: password, nonce: salt, tagLength, ...parameters });
  return printArgon2({ ...parameters, salt, hash: Buffer.from(hash) });
}

export function printArgon2({ memory, passes, parallelism, salt, hash }: Argon2Hash): string {
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`;
}

/** Undefined when the text is no such hash, or one that nobody should have to check. */
export function parseArgon2(text: string): Argon2Hash | undefined {
  const pattern = /^\$argon2id\$v=19\$m=([0-9]{1,9}),t=([0-9]{1,4}),p=([0-9]{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
  const [, m, t, p, salt, hash] = pattern.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  const parsed = {
    memory: Number(m),
    passes: Number(t),
    parallelism: Number(p),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
  const isSane =
    parsed.parallelism >= 1 &&
    parsed.parallelism <= bounds.parallelism &&
    parsed.memory >= 8 * parsed.parallelism &&
    parsed.memory <= bounds.memory &&
    parsed.passes >= 1 &&
    parsed.passes <= bounds.passes &&
    parsed.salt.length >= 8 &&
    parsed.salt.length <= bounds.bytes &&
    parsed.hash.length >= 16 &&
    parsed.hash.length <= bounds.bytes;
  return isSane ? parsed : undefined;
}

export async function isPassword(password: string, stored: StoredPassword): Promise<boolean> {
  if ('rancher' in stored) {
    const { salt, hash } = stored.rancher;
    const { iterations, keyLength, digest } = rancherPbkdf2;
    return areEqual(await runPbkdf2(password, salt, iterations, keyLength, digest), hash);
  }
  const parsed = parseArgon2(stored.phc);
  if (!parsed) return false;
  const { salt: nonce, hash, ...rest } = parsed;
  return areEqual(Buffer.from(await runArgon2('argon2id', { message: password, nonce, tagLength: hash.length, ...rest })), hash);
}

const areEqual = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);

/** A password that nobody has: checking it takes as long as checking a real one. */
let nobodys: Promise<string> | undefined;
export const nobodysPassword = async (): Promise<StoredPassword> => ({
  phc: await (nobodys ??= hashPassword(randomBytes(32).toString('hex'))),
});
