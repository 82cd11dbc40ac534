import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { childrenOf, expectTag, itemsOf, readDer, readOid, tags, type DerValue } from './der.ts';
import { readName, type DistinguishedName } from './distinguished-name.ts';
import { printIp } from './ip-bytes.ts';
import { parsePem } from './pem.ts';

/** A PKCS#10 request, as its author wrote it. Nothing in it is to be trusted before `hasValidSignature`, and little after. */
export interface CertificateRequest {
  readonly subject: DistinguishedName;
  readonly rawSubject: Buffer;
  readonly publicKey: KeyObject;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** Identifiers of all requested extensions. */
  readonly extensions: readonly string[];
  /** Computed when asked for: most of the cost of a request is here. */
  readonly hasValidSignature: boolean;
}

const extensionRequest = '1.2.840.113549.1.9.14';
const alternativeName = '2.5.29.17';
const hashes: Readonly<Record<string, string | null>> = {
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.3.101.112': null,
};

/** Throws an Error that says what is wrong with the text. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const block = parsePem(pem)[0];
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [info, algorithm, signature] = itemsOf(readDer(block.bytes));
  const [, subject, spki, attributes] = itemsOf(info);
  if (!info || !subject || !spki) throw new Error('the request is incomplete');
  const publicKey = createPublicKey({ key: spki.raw, format: 'der', type: 'spki' });
  const extensions = requestedExtensions(attributes);
  const algorithmId = readOid(itemsOf(algorithm)[0]);
  const bits = expectTag(signature, tags.bitString).content;
  return {
    subject: readName(subject),
    rawSubject: subject.raw,
    publicKey,
    ...readAlternativeNames(extensions),
    extensions: extensions.map(e => e.id),
    get hasValidSignature() {
      return isSignedBy(publicKey, info.raw, algorithmId, bits);
    },
  };
}

function isSignedBy(publicKey: KeyObject, signed: Buffer, algorithm: string, bits: Buffer): boolean {
  const hash = hashes[algorithm];
  if (hash === undefined || bits[0] !== 0) return false;
  try {
    return verify(hash, signed, publicKey, bits.subarray(1));
  } catch {
    return false;
  }
}

interface Extension {
  readonly id: string;
  readonly value: Buffer;
}

function requestedExtensions(attributes: DerValue | undefined): Extension[] {
  if (attributes?.tag !== 0xa0) return [];
  return childrenOf(attributes).flatMap(attribute => {
    const [type, values] = itemsOf(attribute);
    if (readOid(type) !== extensionRequest) return [];
    return itemsOf(itemsOf(values, tags.set)[0]).map(extension => {
      const parts = itemsOf(extension);
      return { id: readOid(parts[0]), value: expectTag(parts.at(-1), tags.octetString).content };
    });
  });
}

function readAlternativeNames(extensions: readonly Extension[]) {
  const dnsNames: string[] = [];
  const ipAddresses: string[] = [];
  const emailAddresses: string[] = [];
  const uris: string[] = [];
  for (const { id, value } of extensions) {
    if (id !== alternativeName) continue;
    for (const name of itemsOf(readDer(value))) {
      if (name.tag === 0x81) emailAddresses.push(readAscii(name));
      else if (name.tag === 0x82) dnsNames.push(readAscii(name));
      else if (name.tag === 0x86) uris.push(readAscii(name));
      else if (name.tag === 0x87) ipAddresses.push(readIp(name));
    }
  }
  return { dnsNames, ipAddresses, emailAddresses, uris };
}

function readAscii({ content }: DerValue): string {
  const text = content.toString('latin1');
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error('a subject alternative name is not plain ASCII');
  return text;
}

function readIp({ content }: DerValue): string {
  const address = printIp(content);
  if (address === undefined) throw new Error('cannot parse IP address of a subject alternative name');
  return address;
}
