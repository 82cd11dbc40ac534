import { argon2, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeFileAtomic } from '../util/write-file-atomic.ts';

interface AdminFile {
  name: 'admin';
  algorithm: 'argon2id';
  salt: string;
  hash: string;
  parameters: { memory: number; passes: number; parallelism: number };
}

export interface Admin {
  readonly newPassword: string | undefined;
}

const hashPassword = promisify(argon2);
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };

/** Makes the first administrator on the first start. The password is kept as a hash only; it signs in to the web page. */
export async function ensureAdmin(dataDir: string): Promise<Admin> {
  const file = join(dataDir, 'admin.json');
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return { newPassword: undefined };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new Error(`cannot read "${file}"`, { cause: error });
  }
  const newPassword = randomBytes(15).toString('base64url');
  const salt = randomBytes(16);
  const hash = await hashPassword('argon2id', { message: newPassword, nonce: salt, tagLength: 32, ...parameters });
  const admin: AdminFile = {
    name: 'admin',
    algorithm: 'argon2id',
    salt: salt.toString('base64'),
    hash: Buffer.from(hash).toString('base64'),
    parameters,
  };
  writeFileAtomic(file, `${JSON.stringify(admin)}\n`, 0o600);
  return { newPassword };
}
