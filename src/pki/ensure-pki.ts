import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import {
  createAuthority,
  createKey,
  issueLeaf,
  printKey,
  readAuthority,
  type CertificateAuthority,
  type KeyPair,
  type LeafOptions,
} from './certificate-authority.ts';

/** Everything a server needs to prove who it is and to know its clients. */
export interface Pki {
  /** Signs the serving certificate and client certificates; clients trust it. */
  readonly authority: CertificateAuthority;
  readonly server: KeyPair;
  /** A client certificate in the group system:masters. */
  readonly admin: KeyPair;
  /** Signs service account tokens. */
  readonly serviceAccountKey: KeyObject;
  readonly frontProxyAuthority: CertificateAuthority;
  /** How this server proves itself to aggregated API servers. */
  readonly frontProxyClient: KeyPair;
}

export interface PkiOptions {
  /** Names and addresses under which clients reach the server, besides the usual ones. */
  hosts?: readonly string[];
  now?: Date;
}

/** What a server needs to know its clients, without what it needs to prove itself to them. */
export type ClientPki = Pick<Pki, 'authority' | 'admin' | 'serviceAccountKey'>;

/** Where the parts of a PKI are kept between runs: a folder, a text, or nothing at all. */
export interface PkiStore {
  read(name: string): string | undefined;
  write(name: string, text: string): void;
}

const renewBeforeMs = 30 * 86_400_000;
const usualHosts = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
  '127.0.0.1',
  '::1',
];

/**
 * Reads the PKI of a folder and creates what is missing, about to expire, not valid yet, or signed by another authority; the serving certificate also when a
 * host is missing from it. Files are written whole or not at all, readable by their owner only. Throws when an authority's certificate is
 * there without its key: replacing it would lock all clients out.
 */
export function ensurePki(dir: string, options: PkiOptions = {}): Pki {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return buildPki(folderStore(dir), options);
}

/** A PKI that lives as long as the process. */
export function createPki(options: PkiOptions = {}): Pki {
  return buildPki({ read: () => undefined, write: () => undefined }, options);
}

/** The part of a PKI that is about clients; the rules are those of `ensurePki`. */
export function ensureClientPki(store: PkiStore, now: Date): ClientPki {
  const authority = ensureAuthority(store, 'ca', 'kubernetes', now);
  const admin = { commonName: 'kubernetes-admin', organizations: ['system:masters'], usage: 'client', now } as const;
  return { authority, admin: ensureLeaf(store, 'admin', authority, admin), serviceAccountKey: ensureServiceAccountKey(store) };
}

function buildPki(store: PkiStore, { hosts = [], now = new Date() }: PkiOptions): Pki {
  const clients = ensureClientPki(store, now);
  const { authority } = clients;
  const frontProxyAuthority = ensureAuthority(store, 'front-proxy-ca', 'front-proxy-ca', now);
  const allHosts = [...new Set([...usualHosts, ...hosts])];
  return {
    ...clients,
    frontProxyAuthority,
    server: ensureLeaf(store, 'server', authority, { commonName: 'kube-apiserver', usage: 'server', hosts: allHosts, now }),
    frontProxyClient: ensureLeaf(store, 'front-proxy-client', frontProxyAuthority, {
      commonName: 'front-proxy-client',
      usage: 'client',
      now,
    }),
  };
}

function ensureAuthority(store: PkiStore, name: string, commonName: string, now: Date): CertificateAuthority {
  const certificate = store.read(`${name}.crt`);
  const key = store.read(`${name}.key`);
  if (certificate !== undefined && key === undefined) throw new Error(`certificate authority "${name}.crt" has no key "${name}.key"`);
  if (certificate !== undefined && key !== undefined) {
    const present = parseAuthority(name, { certificate, key });
    if (isCurrent(present.x509, now)) return present;
  }
  const privateKey = key === undefined ? createKey() : parseKey(`${name}.key`, key);
  const created = createAuthority(commonName, now, privateKey);
  if (key === undefined) store.write(`${name}.key`, created.key);
  store.write(`${name}.crt`, created.certificate);
  return created;
}

function parseAuthority(name: string, pair: KeyPair): CertificateAuthority {
  try {
    return readAuthority(pair);
  } catch (cause) {
    throw new Error(`cannot read certificate authority "${name}"`, { cause });
  }
}

function parseKey(file: string, text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw new Error(`cannot read key "${file}"`, { cause });
  }
}

function ensureLeaf(store: PkiStore, name: string, authority: CertificateAuthority, options: LeafOptions): KeyPair {
  const certificate = store.read(`${name}.crt`);
  const key = store.read(`${name}.key`);
  if (certificate !== undefined && key !== undefined && isUsable({ certificate, key }, authority, options)) return { certificate, key };

  const created = issueLeaf(authority, options);
  store.write(`${name}.key`, created.key);
  store.write(`${name}.crt`, created.certificate);
  return created;
}

// A pair whose writing was cut short, or which somebody damaged, is as good as absent.
function isUsable(pair: KeyPair, authority: CertificateAuthority, { hosts = [], now }: LeafOptions): boolean {
  try {
    const certificate = new X509Certificate(pair.certificate);
    return (
      certificate.checkPrivateKey(createPrivateKey(pair.key)) &&
      certificate.checkIssued(authority.x509) &&
      certificate.verify(authority.x509.publicKey) &&
      isCurrent(certificate, now) &&
      hosts.every(host => coversHost(certificate, host))
    );
  } catch {
    return false;
  }
}

function coversHost(certificate: X509Certificate, host: string): boolean {
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined;
  return certificate.checkHost(host, { subject: 'never' }) !== undefined;
}

/** Not about to expire; nor of a future that the clock showed for a while. */
function isCurrent({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && Date.parse(validTo) - now.getTime() >= renewBeforeMs;
}

function ensureServiceAccountKey(store: PkiStore): KeyObject {
  const text = store.read('sa.key');
  const key = text === undefined ? createKey() : parseKey('sa.key', text);
  if (text === undefined) store.write('sa.key', printKey(key));
  const publicText = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  if (store.read('sa.pub') !== publicText) store.write('sa.pub', publicText);
  return key;
}

function folderStore(dir: string): PkiStore {
  return {
    read(name) {
      try {
        return readFileSync(join(dir, name), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw new Error(`cannot read "${join(dir, name)}"`, { cause: error });
      }
    },
    write: (name, text) => writeWhole(join(dir, name), text),
  };
}

function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
