import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { log } from '../runtime/log.ts';
import { errorText } from '../util/error-text.ts';

export interface CertificateFiles {
  /** PEM, the chain behind it included. */
  readonly certificate: string;
  readonly key: string;
}

/** A certificate that people gave the hub, for the names that it holds. It is read again when its files have changed. */
export interface GivenCertificate {
  covers(name: string): boolean;
  /** With what else connections are set up by; undefined when it is not for that name. */
  contextFor(name: string, rest: SecureContextOptions): SecureContext | undefined;
}

interface Loaded {
  readonly pair: { readonly cert: string; readonly key: string };
  readonly x509: X509Certificate;
  context?: SecureContext;
}

/** Files are looked at when somebody connects, and not more often than this. */
const lookEveryMs = 5_000;

/** Throws when the files cannot be used. Later on, files that cannot be used leave the certificate as it was. */
export function givenCertificate(files: CertificateFiles, now: () => number = Date.now): GivenCertificate {
  let version = versionOf(files);
  let loaded = load(files);
  let lookedAt = now();

  function present(): Loaded {
    if (now() - lookedAt < lookEveryMs) return loaded;
    lookedAt = now();
    try {
      const found = versionOf(files);
      if (found === version) return loaded;
      loaded = load(files);
      version = found;
      log.info('the certificate was read again', { name: files.certificate });
    } catch (err) {
      log.warn('the certificate could not be read again', { name: files.certificate, err });
    }
    return loaded;
  }

  return {
    covers: name => isFor(present().x509, name),
    contextFor(name, rest) {
      const one = present();
      if (!isFor(one.x509, name)) return undefined;
      return (one.context ??= createSecureContext({ ...rest, ...one.pair }));
    },
  };
}

/** Whoever connects may ask for anything. */
const isFor = (certificate: X509Certificate, name: string): boolean =>
  /^[A-Za-z0-9_.-]{1,253}$/.test(name) && certificate.checkHost(name) !== undefined;

function load({ certificate, key }: CertificateFiles): Loaded {
  try {
    const pair = { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
    const x509 = new X509Certificate(pair.cert);
    if (!x509.checkPrivateKey(createPrivateKey(pair.key))) throw new Error('the key is not the one of the certificate');
    return { pair, x509 };
  } catch (cause) {
    throw new Error(`cannot use the certificate "${certificate}" with the key "${key}": ${errorText(cause)}`, { cause });
  }
}

/** Volumes of Secrets are replaced as a whole: their files are others then. */
const versionOf = ({ certificate, key }: CertificateFiles): string =>
  [certificate, key]
    .map(file => statSync(file))
    .map(({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`)
    .join(' ');
