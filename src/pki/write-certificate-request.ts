import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { bitString, explicit, oid, sequence, tags, writeDer } from './der.ts';
import { writeName } from './distinguished-name.ts';
import { printPem } from './pem.ts';

export interface RequestedIdentity {
  /** '' asks for a certificate whose subject the signer fills in. */
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** A PKCS#10 request for a certificate with this subject, signed with the EC key that it is for. PEM. */
export function writeCertificateRequest(key: KeyObject, subject: RequestedIdentity): string {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const version = writeDer(tags.integer, Buffer.from([0]));
  const noAttributes = explicit(0);
  const info = sequence(version, writeName(subject), publicKey, noAttributes);
  const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
  return printPem('CERTIFICATE REQUEST', sequence(info, ecdsaWithSha256, bitString(sign('sha256', info, key))));
}
