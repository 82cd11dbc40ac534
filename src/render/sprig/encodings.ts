import { fromBytes, toBytes } from '../go/go-bytes.ts';
import { fn } from '../go/go-function.ts';
import { GoError, type GoFunction } from '../go/go-value.ts';

export const encodingFunctions: Readonly<Record<string, GoFunction>> = {
  b64enc: fn(['string'], text => toBytes(text).toString('base64')),
  b64dec: fn(['string'], decodeBase64),
  b32enc: fn(['string'], text => encodeBase32(toBytes(text))),
  b32dec: fn(['string'], decodeBase32),
};

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function decodeBase64(text: string): string {
  try {
    return fromBytes(strictBase64(text));
  } catch (error) {
    return (error as GoError).message;
  }
}

/** Base64 as Go reads it, which forgives nothing but line breaks. Throws GoError. */
export function strictBase64(text: string): Buffer {
  const plain = toBytes(text).filter(byte => byte !== 10 && byte !== 13);
  const at = firstBad(plain, /[A-Za-z0-9+/]/, 4, text);
  if (at !== undefined) throw new GoError(`illegal base64 data at input byte ${at}`);
  return Buffer.from(Buffer.from(plain).toString('latin1'), 'base64');
}

/** Where an encoded text is broken: a strange letter, padding in the wrong place, or an unfinished group. */
function firstBad(bytes: Uint8Array, letter: RegExp, group: number, text: string): number | undefined {
  const size = toBytes(text).length;
  let i = 0;
  while (i < bytes.length && letter.test(String.fromCharCode(bytes[i]!))) i++;
  if (i === bytes.length) return i % group === 0 ? undefined : size - (i % group);
  const missing = group - (i % group);
  const isPadding = bytes[i] === 61;
  const allowed = group === 4 ? [1, 2] : [1, 3, 4, 6];
  if (!isPadding || i % group === 0 || !allowed.includes(missing)) return positionOf(text, i);
  for (let k = 0; k < missing; k++) {
    if (i + k >= bytes.length) return size;
    if (bytes[i + k] !== 61) return positionOf(text, i + k - 1);
  }
  return i + missing === bytes.length ? undefined : positionOf(text, i + missing);
}

/** The position in the whole text of the n-th byte that is no line break. */
function positionOf(text: string, n: number): number {
  let seen = 0;
  const bytes = toBytes(text);
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 10 || bytes[i] === 13) continue;
    if (seen++ === n) return i;
  }
  return bytes.length;
}

function encodeBase32(bytes: Uint8Array): string {
  let out = '';
  for (let at = 0; at < bytes.length; at += 5) {
    const group = bytes.subarray(at, at + 5);
    let bits = 0n;
    for (let i = 0; i < 5; i++) bits = (bits << 8n) | BigInt(group[i] ?? 0);
    const letters = Math.ceil((group.length * 8) / 5);
    for (let i = 0; i < 8; i++) out += i < letters ? base32[Number((bits >> BigInt(35 - 5 * i)) & 31n)] : '=';
  }
  return out;
}

function decodeBase32(text: string): string {
  const plain = toBytes(text).filter(byte => byte !== 10 && byte !== 13);
  const at = firstBad(plain, /[A-Z2-7]/, 8, text);
  if (at !== undefined) return `illegal base32 data at input byte ${at}`;
  const letters = Buffer.from(plain).toString('latin1').replace(/=+$/, '');
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const letter of letters) {
    bits = (bits << 5) | base32.indexOf(letter);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
    bits &= (1 << count) - 1;
  }
  return fromBytes(Buffer.from(bytes));
}
