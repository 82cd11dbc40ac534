import { constants, generateKeyPairSync, privateDecrypt, type KeyObject } from 'node:crypto';
import { newToken } from '../../src/core/registration/registration-token.ts';

/** What a program makes that wants to be signed in by way of the browser, as the `rancher` CLI does. */
export interface AskingProgram {
  readonly requestId: string;
  readonly publicKey: string;
  /** Reads what it picks up. */
  decrypt(token: string): string;
}

export function askingProgram(): AskingProgram {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return {
    requestId: newToken().slice(0, 32),
    publicKey: goKey(publicKey),
    decrypt: token => privateDecrypt({ key: privateKey, padding, oaepHash: 'sha256' }, Buffer.from(token, 'base64')).toString(),
  };
}

/** A key as the CLI shows it: the JSON of Go, in base64. */
export function goKey(key: KeyObject): string {
  const { n = '', e = '' } = key.export({ format: 'jwk' });
  const number = (text: string) => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
  return Buffer.from(`{"N":${number(n)},"E":${number(e)}}`).toString('base64');
}
