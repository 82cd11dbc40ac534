import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashPassword, parseArgon2, printArgon2 } from '../dialects/rancher/identity/password-hash.ts';
import { writeFileAtomic } from '../util/write-file-atomic.ts';

interface AdminFile {
  name: 'admin';
  algorithm: 'argon2id';
  salt: string;
  hash: string;
  parameters: { memory: number; passes: number; parallelism: number };
}

export interface Admin {
  /** One that was made up, and has to be shown. */
  readonly newPassword: string | undefined;
  /** `$argon2id$…` of the password that was made at the first start. */
  readonly passwordHash: string;
  /** From now on it is the password. To be called when the new one is sure to be shown. */
  keep(): void;
}

/** Makes a password for the first administrator on the first start, or takes the one that was given. Only its hash is kept. A file that was taken away makes for a new password. */
export async function prepareAdmin(dataDir: string, given?: string): Promise<Admin> {
  const file = join(dataDir, 'admin.json');
  const present = readAdmin(file);
  if (present) return { newPassword: undefined, passwordHash: present, keep() {} };
  const newPassword = given === undefined ? randomBytes(15).toString('base64url') : undefined;
  const passwordHash = await hashPassword(newPassword ?? given!);
  const { salt, hash, ...parameters } = parseArgon2(passwordHash)!;
  const admin: AdminFile = {
    name: 'admin',
    algorithm: 'argon2id',
    salt: salt.toString('base64'),
    hash: hash.toString('base64'),
    parameters,
  };
  return { newPassword, passwordHash, keep: () => writeFileAtomic(file, `${JSON.stringify(admin)}\n`, 0o600) };
}

function readAdmin(file: string): string | undefined {
  try {
    const { salt, hash, parameters } = JSON.parse(readFileSync(file, 'utf8')) as AdminFile;
    return printArgon2({ ...parameters, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`cannot read "${file}"`, { cause: error });
  }
}
