import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import { extendedKeyUsages, issue, keyIdOf, keyUsageBits, subjectOf } from '../../pki/certificate-authority.ts';
import { writeName } from '../../pki/distinguished-name.ts';
import { fromBytes, toBytes } from '../go/go-bytes.ts';
import { printValue } from '../go/go-format.ts';
import { fn } from '../go/go-function.ts';
import { anySlice, intType, stringType, uint32Type, type GoType } from '../go/go-type.ts';
import { GoError, GoFunction, GoInt, GoObject, type GoSlice, type GoValue } from '../go/go-value.ts';
import { takeRoom } from '../go/rendering.ts';
import { bcrypt } from './bcrypt.ts';
import { strictBase64 } from './encodings.ts';
import { derivePassword } from './derive-password.ts';

const certificateType: GoType = { name: 'sprig.certificate', kind: 'struct' };

/** A certificate and its key, both PEM: what `genCA` and its kin return. */
class CertificateObject extends GoObject {
  readonly goType = certificateType;
  readonly certificate: string;
  readonly key: string;

  constructor(certificate: string, key: string) {
    super();
    this.certificate = certificate;
    this.key = key;
  }

  override field(name: string): { value: GoValue } | undefined {
    if (name === 'Cert') return { value: this.certificate };
    return name === 'Key' ? { value: this.key } : undefined;
  }

  override toJson(): GoValue {
    return new Map([
      ['Cert', this.certificate],
      ['Key', this.key],
    ]);
  }

  print(): string {
    return `{${this.certificate} ${this.key}}`;
  }
}

const newRsaKey = (bits: number): KeyObject => generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;

/** Keys in the oldest form that holds them, as Go's programs write them. */
function printKey(key: KeyObject): string {
  const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8';
  return (key.export({ type, format: 'pem' } as never) as unknown as string | Buffer).toString();
}

function readKey(pem: string): KeyObject {
  if (!pem.includes('-----BEGIN ')) throw new GoError('parsing private key: no PEM data in input');
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new GoError(`parsing private key: ${(error as Error).message}`);
  }
}

function generateKey(type: string): string {
  if (type === '' || type === 'rsa') return printKey(newRsaKey(4096));
  if (type === 'ecdsa') return printKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  if (type === 'ed25519') return printKey(generateKeyPairSync('ed25519').privateKey);
  if (type === 'dsa') return printKey(generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey);
  return `Unknown type ${type}`;
}

interface Request {
  readonly name: string;
  readonly days: number;
  readonly key: KeyObject;
  readonly addresses?: readonly GoValue[];
  readonly names?: readonly GoValue[];
  readonly signer?: CertificateObject;
  readonly isAuthority?: boolean;
}

function certify({ name, days, key, addresses = [], names = [], signer, isAuthority = false }: Request): CertificateObject {
  const now = Date.now();
  const publicKey = createPublicKey(key);
  const certificate = issue(
    signer ? signerOf(signer) : { rawSubject: writeName({ commonName: name }), privateKey: key, keyId: keyIdOf(publicKey) },
    publicKey,
    {
      subject: { commonName: name },
      notBefore: new Date(now),
      notAfter: new Date(now + days * 86_400_000),
      isAuthority,
      keyUsage: [keyUsageBits.keyEncipherment, keyUsageBits.digitalSignature, ...(isAuthority ? [keyUsageBits.certSign] : [])],
      extendedKeyUsage: [extendedKeyUsages.serverAuth, extendedKeyUsages.clientAuth],
      ipAddresses: addresses.map(addressOf),
      dnsNames: names.map(hostOf),
    },
  );
  return new CertificateObject(certificate, printKey(key));
}

function signerOf({ certificate, key }: CertificateObject): { rawSubject: Buffer; privateKey: KeyObject; keyId: Buffer } {
  if (!certificate.includes('-----BEGIN ')) throw new GoError('unable to decode certificate');
  try {
    const x509 = new X509Certificate(certificate);
    return { rawSubject: subjectOf(x509.raw).raw, privateKey: createPrivateKey(key), keyId: keyIdOf(x509.publicKey) };
  } catch (error) {
    throw new GoError(`error parsing certificate: decodedSignerCert.Bytes: ${(error as Error).message}`);
  }
}

function addressOf(value: GoValue): string {
  if (typeof value !== 'string') throw new GoError(`error parsing ip: ${printValue(value)} is not a string`);
  if (isIP(value) === 0) throw new GoError(`error parsing ip: ${value}`);
  return value;
}

function hostOf(value: GoValue): string {
  if (typeof value !== 'string') throw new GoError(`error processing alternate dns name: ${printValue(value)} is not a string`);
  return value;
}

function customCertificate(certificate: string, key: string): CertificateObject {
  const decode = (text: string, what: string): string => {
    try {
      return strictBase64(text).toString();
    } catch {
      throw new GoError(`unable to decode base64 ${what}`);
    }
  };
  const pem = decode(certificate, 'certificate');
  const keyPem = decode(key, 'private key');
  if (!pem.includes('-----BEGIN ')) throw new GoError('unable to decode certificate');
  try {
    void new X509Certificate(pem);
    createPrivateKey(keyPem);
  } catch (error) {
    throw new GoError(`error parsing certificate: ${(error as Error).message}`);
  }
  return new CertificateObject(pem, keyPem);
}

const aesKey = (password: string): Buffer => Buffer.concat([toBytes(password), Buffer.alloc(32)]).subarray(0, 32);

function encryptAes(password: string, text: string): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', aesKey(password), iv);
  return Buffer.concat([iv, cipher.update(toBytes(text)), cipher.final()]).toString('base64');
}

function decryptAes(password: string, encoded: string): string {
  if (encoded === '') return '';
  const bytes = strictBase64(encoded);
  if (bytes.length < 32 || bytes.length % 16 !== 0) throw new GoError('crypto/cipher: input not full blocks');
  const decipher = createDecipheriv('aes-256-cbc', aesKey(password), bytes.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  return fromBytes(plain.subarray(0, plain.length - plain.at(-1)!));
}

const days = (value: GoValue): number => Number((value as GoInt).value);
const list = (value: GoValue): GoSlice => value as GoSlice;
const text = (value: GoValue): string => value as string;
const make = (params: readonly GoType[], call: (args: GoValue[]) => GoValue): GoFunction => new GoFunction(params, call);

export const cryptoFunctions: Readonly<Record<string, GoFunction>> = {
  bcrypt: fn(['string'], password => bcrypt(toBytes(password))),
  htpasswd: fn(['string', 'string'], (user, password) =>
    user.includes(':') ? `invalid username: ${user}` : `${user}:${bcrypt(toBytes(password))}`,
  ),
  genPrivateKey: fn(['string'], generateKey),
  derivePassword: make([uint32Type, stringType, stringType, stringType, stringType], ([counter, type, password, user, site]) =>
    derivePassword({ counter: days(counter), type: text(type), password: text(password), user: text(user), site: text(site) }),
  ),
  buildCustomCert: fn(['string', 'string'], customCertificate),
  genCA: make([stringType, intType], ([name, valid]) =>
    certify({ name: text(name), days: days(valid), key: newRsaKey(2048), isAuthority: true }),
  ),
  genCAWithKey: make([stringType, intType, stringType], ([name, valid, key]) =>
    certify({ name: text(name), days: days(valid), key: readKey(text(key)), isAuthority: true }),
  ),
  genSelfSignedCert: make([stringType, anySlice, anySlice, intType], ([name, addresses, names, valid]) =>
    certify({ name: text(name), addresses: list(addresses), names: list(names), days: days(valid), key: newRsaKey(2048) }),
  ),
  genSelfSignedCertWithKey: make([stringType, anySlice, anySlice, intType, stringType], ([name, addresses, names, valid, key]) =>
    certify({ name: text(name), addresses: list(addresses), names: list(names), days: days(valid), key: readKey(text(key)) }),
  ),
  genSignedCert: make([stringType, anySlice, anySlice, intType, certificateType], ([name, addresses, names, valid, signer]) =>
    certify({
      name: text(name),
      addresses: list(addresses),
      names: list(names),
      days: days(valid),
      key: newRsaKey(2048),
      signer: signer as CertificateObject,
    }),
  ),
  genSignedCertWithKey: make(
    [stringType, anySlice, anySlice, intType, certificateType, stringType],
    ([name, addresses, names, valid, signer, key]) =>
      certify({
        name: text(name),
        addresses: list(addresses),
        names: list(names),
        days: days(valid),
        key: readKey(text(key)),
        signer: signer as CertificateObject,
      }),
  ),
  encryptAES: fn(['string', 'string'], encryptAes),
  decryptAES: fn(['string', 'string'], decryptAes),
  randBytes: fn(['int'], count => {
    takeRoom(count);
    return randomBytes(count).toString('base64');
  }),
  uuidv4: fn([], () => randomUUID()),
};
