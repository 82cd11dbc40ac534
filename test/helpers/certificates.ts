import 'reflect-metadata';
import { generateKeyPairSync, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as Crypto);
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 3600 * 1000;

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export class TestCa {
  readonly certificate: string;
  readonly key: string;
  readonly #issuer: string;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: string, key: string, issuer: string, keys: webcrypto.CryptoKeyPair) {
    this.certificate = certificate;
    this.key = key;
    this.#issuer = issuer;
    this.#keys = keys;
  }

  static async create(commonName: string): Promise<TestCa> {
    const keys = await newKeys();
    const name = `CN=${commonName}`;
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: serialNumber(),
      name,
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + 10 * dayMs),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new TestCa(certificate.toString('pem'), await pem(keys.privateKey), name, keys);
  }

  /** A certificate for clients and servers alike. Organizations become groups. */
  async issue(
    commonName: string,
    { organizations = [] as string[], dnsNames = [] as string[], ips = [] as string[] } = {},
  ): Promise<KeyPair> {
    const keys = await newKeys();
    const alternatives = [
      ...dnsNames.map(value => ({ type: 'dns' as const, value })),
      ...ips.map(value => ({ type: 'ip' as const, value })),
    ];
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: [{ CN: [commonName] }, ...organizations.map(o => ({ O: [o] }))],
      issuer: this.#issuer,
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + 5 * dayMs),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]),
        await x509.AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
        ...(alternatives.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternatives)] : []),
      ],
    });
    return { certificate: certificate.toString('pem'), key: await pem(keys.privateKey) };
  }
}

/** A PEM certificate request for the given subject; its key is thrown away. */
export async function certificateRequest(commonName: string, organizations: string[] = []): Promise<string> {
  const keys = await newKeys();
  const name = [{ CN: [commonName] }, ...organizations.map(o => ({ O: [o] }))];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm });
  return request.toString('pem') + '\n';
}

/** An RSA pair in PEM for signing service account tokens. */
export function tokenSigningKeys(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

function serialNumber(): string {
  return '01' + Buffer.from(webcrypto.getRandomValues(new Uint8Array(12))).toString('hex');
}

async function pem(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return x509.PemConverter.encode(der, 'PRIVATE KEY');
}
