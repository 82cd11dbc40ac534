import { constants, createPublicKey, publicEncrypt, type KeyObject } from 'node:crypto';
import { invalidField } from '../v3/norman-error.ts';

const maxText = 4096;
const [leastBits, mostBits] = [2048, 8192];
/** How Go prints an RSA key as JSON: the modulus is a number of hundreds of digits, which JSON.parse would round. */
const goKey = /^\{"N":([1-9][0-9]{1,2500}),"E":([1-9][0-9]{0,9})\}$/;

/** The public key that the `rancher` program puts into the address of its request: RSA, as JSON of Go, in base64. Throws 422. */
export function parseProgramKey(encoded: unknown): KeyObject {
  const wrong = () => invalidField('InvalidFormat', 'publicKey', `publicKey must be an RSA key of ${leastBits} to ${mostBits} bits`);
  if (typeof encoded !== 'string' || encoded.length > maxText) throw wrong();
  const [, modulus = '', exponent = ''] = goKey.exec(Buffer.from(encoded, 'base64').toString('latin1').replaceAll(/\s/g, '')) ?? [];
  if (modulus === '') throw wrong();
  const key = readKey({ kty: 'RSA', n: unsigned(BigInt(modulus)), e: unsigned(BigInt(exponent)) });
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0;
  if (!key || bits < leastBits || bits > mostBits || Number(exponent) < 3) throw wrong();
  return key;
}

function readKey(jwk: { kty: string; n: string; e: string }): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function unsigned(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}

/** Only the program with the private key can read it. */
export const encryptFor = (key: KeyObject, text: string): string =>
  publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, Buffer.from(text)).toString('base64');
