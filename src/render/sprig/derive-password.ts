import { createHmac, scryptSync } from 'node:crypto';
import { toBytes } from '../go/go-bytes.ts';

const seedName = Buffer.from('com.lyndir.masterpassword');

/** Which letters a place of a password may have. */
const classes: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
};

const forms: Readonly<Record<string, string>> = {
  maximum: 'anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno',
  long: 'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno',
  medium: 'CvcnoCvc CvcCvcno',
  short: 'Cvcn',
  basic: 'aaanaaan aannaaan aaannaaa',
  pin: 'nnnn',
};

export interface PasswordRequest {
  readonly counter: number;
  readonly type: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
}

/** The Master Password algorithm: the same answer for the same question, everywhere. */
export function derivePassword({ counter, type, password, user, site }: PasswordRequest): string {
  const choices = forms[type]?.split(' ');
  if (!choices) return `cannot find password template ${type}`;
  const salt = Buffer.concat([seedName, lengthOf(user), toBytes(user)]);
  const key = scryptSync(toBytes(password), salt, 64, { N: 32768, r: 8, p: 2, maxmem: 64 * 1024 * 1024 });
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const seed = createHmac('sha256', key)
    .update(Buffer.concat([seedName, lengthOf(site), toBytes(site), count]))
    .digest();
  const form = choices[seed[0]! % choices.length]!;
  return [...form].map((place, i) => classes[place]![seed[i + 1]! % classes[place]!.length]!).join('');
}

function lengthOf(text: string): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(toBytes(text).length);
  return bytes;
}
