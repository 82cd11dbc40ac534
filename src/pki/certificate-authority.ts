import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  itemsOf,
  octetString,
  oid,
  readDer,
  sequence,
  time,
  unsignedInteger,
  writeDer,
  tags,
  type DerValue,
} from './der.ts';
import { writeName } from './distinguished-name.ts';
import { ipBytes } from './ip-bytes.ts';
import { printPem } from './pem.ts';

/** A certificate with its private key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate and key that sign others. */
export interface CertificateAuthority extends KeyPair {
  readonly x509: X509Certificate;
  readonly privateKey: KeyObject;
  /** The subject as it stands in the certificate: issuers must match byte for byte. */
  readonly rawSubject: Buffer;
  readonly keyId: Buffer;
}

export interface CertificateTemplate {
  /** A name to write, or one taken over byte for byte from a request. */
  subject: { commonName: string; organizations?: readonly string[] } | Buffer;
  notBefore: Date;
  notAfter: Date;
  isAuthority?: boolean;
  /** Bit positions of RFC 5280 KeyUsage. */
  keyUsage: readonly number[];
  extendedKeyUsage?: readonly string[];
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  emailAddresses?: readonly string[];
  uris?: readonly string[];
}

export const keyUsageBits = { digitalSignature: 0, keyEncipherment: 2, certSign: 5, crlSign: 6 } as const;
export const extendedKeyUsages = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

const day = 86_400_000;
const backdateMs = 300_000;

export function createKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** As Go prints it: clients on the JVM tell by the first line what kind of key it is. */
export function printKey(key: KeyObject): string {
  return key.export({ type: key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8', format: 'pem' }).toString();
}

/** A self-signed authority, valid for ten years. */
export function createAuthority(commonName: string, now: Date, privateKey: KeyObject = createKey()): CertificateAuthority {
  const template: CertificateTemplate = {
    subject: { commonName },
    notBefore: new Date(now.getTime() - backdateMs),
    notAfter: new Date(now.getTime() + 3650 * day),
    isAuthority: true,
    keyUsage: [keyUsageBits.digitalSignature, keyUsageBits.keyEncipherment, keyUsageBits.certSign, keyUsageBits.crlSign],
  };
  const publicKey = createPublicKey(privateKey);
  const rawSubject = writeName({ commonName });
  const certificate = issue({ rawSubject, privateKey, keyId: keyIdOf(publicKey) }, publicKey, template);
  return readAuthority({ certificate, key: printKey(privateKey) });
}

export function readAuthority({ certificate, key }: KeyPair): CertificateAuthority {
  const x509 = new X509Certificate(certificate);
  const privateKey = createPrivateKey(key);
  if (!x509.checkPrivateKey(privateKey)) throw new Error('the key does not belong to the certificate');
  const rawSubject = subjectOf(x509.raw).raw;
  return { certificate, key, x509, privateKey, rawSubject, keyId: keyIdOf(x509.publicKey) };
}

/** The subject inside a certificate. */
export function subjectOf(certificate: Buffer): DerValue {
  const [tbs] = itemsOf(readDer(certificate));
  const fields = itemsOf(tbs);
  const hasVersion = fields[0]?.tag === 0xa0;
  const subject = fields[hasVersion ? 5 : 4];
  if (!subject) throw new Error('the certificate has no subject');
  return subject;
}

export interface LeafOptions {
  commonName: string;
  organizations?: readonly string[];
  usage: 'server' | 'client';
  hosts?: readonly string[];
  now: Date;
  lifetimeMs?: number;
}

/** A new key and a certificate for it, for a year unless said otherwise and never beyond its authority. */
export function issueLeaf(authority: CertificateAuthority, options: LeafOptions): KeyPair {
  const { commonName, organizations = [], usage, hosts = [], now, lifetimeMs = 365 * day } = options;
  const privateKey = createKey();
  const notAfter = new Date(Math.min(now.getTime() + lifetimeMs, Date.parse(authority.x509.validTo)));
  const certificate = issue(authority, createPublicKey(privateKey), {
    subject: { commonName, organizations },
    notBefore: new Date(now.getTime() - backdateMs),
    notAfter,
    keyUsage: [keyUsageBits.digitalSignature, keyUsageBits.keyEncipherment],
    extendedKeyUsage: [usage === 'server' ? extendedKeyUsages.serverAuth : extendedKeyUsages.clientAuth],
    dnsNames: hosts.filter(host => isIP(host) === 0),
    ipAddresses: hosts.filter(host => isIP(host) !== 0),
  });
  return { certificate, key: printKey(privateKey) };
}

/** Writes and signs a certificate. */
export function issue(
  issuer: { rawSubject: Buffer; privateKey: KeyObject; keyId: Buffer },
  publicKey: KeyObject,
  template: CertificateTemplate,
): string {
  const algorithm = signatureAlgorithm(issuer.privateKey);
  const subject = Buffer.isBuffer(template.subject) ? template.subject : writeName(template.subject);
  const tbs = sequence(
    explicit(0, writeDer(tags.integer, Buffer.from([2]))),
    unsignedInteger(randomBytes(16)),
    algorithm,
    issuer.rawSubject,
    sequence(time(template.notBefore), time(template.notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions(template, publicKey, issuer.keyId, subject.length === 2))),
  );
  const signature = sign(issuer.privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256', tbs, issuer.privateKey);
  return printPem('CERTIFICATE', sequence(tbs, algorithm, bitString(signature)));
}

function signatureAlgorithm(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'ec') return sequence(oid('1.2.840.10045.4.3.2'));
  if (key.asymmetricKeyType === 'rsa') return sequence(oid('1.2.840.113549.1.1.11'), writeDer(tags.null));
  if (key.asymmetricKeyType === 'ed25519') return sequence(oid('1.3.101.112'));
  throw new Error(`cannot sign with a key of type "${key.asymmetricKeyType}"`);
}

function extensions(template: CertificateTemplate, publicKey: KeyObject, issuerKeyId: Buffer, isSubjectEmpty: boolean): Buffer[] {
  const { isAuthority = false, keyUsage, extendedKeyUsage = [] } = template;
  const list: Buffer[] = [];
  if (keyUsage.length > 0) list.push(extension('2.5.29.15', true, keyUsageBytes(keyUsage)));
  if (extendedKeyUsage.length > 0) list.push(extension('2.5.29.37', false, sequence(...extendedKeyUsage.map(oid))));
  list.push(extension('2.5.29.19', true, isAuthority ? sequence(boolean(true)) : sequence()));
  if (isAuthority) list.push(extension('2.5.29.14', false, octetString(keyIdOf(publicKey))));
  else list.push(extension('2.5.29.35', false, sequence(implicit(0, issuerKeyId))));
  const names = alternativeNames(template);
  if (names.length > 0) list.push(extension('2.5.29.17', isSubjectEmpty, sequence(...names)));
  return list;
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

function keyUsageBytes(bits: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.max(...bits) > 7 ? 2 : 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, bytes.length * 8 - 1 - Math.max(...bits));
}

function alternativeNames({ dnsNames = [], ipAddresses = [], emailAddresses = [], uris = [] }: CertificateTemplate): Buffer[] {
  return [
    ...dnsNames.map(name => implicit(2, Buffer.from(name))),
    ...emailAddresses.map(address => implicit(1, Buffer.from(address))),
    ...ipAddresses.map(address => implicit(7, ipBytes(address))),
    ...uris.map(uri => implicit(6, Buffer.from(uri))),
  ];
}

/** How certificates refer to a key. */
export function keyIdOf(publicKey: KeyObject): Buffer {
  const [, bits] = itemsOf(readDer(publicKey.export({ type: 'spki', format: 'der' })));
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? Buffer.alloc(0))
    .digest();
}
