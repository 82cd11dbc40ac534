import { createPrivateKey } from 'node:crypto';
import { printKey } from '../pki/certificate-authority.ts';
import { writeFileAtomic } from '../util/write-file-atomic.ts';
import { writeYaml } from '../yaml/write-yaml.ts';

export interface KubeconfigParts {
  readonly url: string;
  readonly authority: string;
  readonly certificate: string;
  /** In any form; those that were written by earlier programs are PKCS #8. */
  readonly key: string;
  /** Of the cluster and the context. Default `drover`. */
  readonly name?: string;
  /** Default `admin`. */
  readonly user?: string;
}

const encode = (pem: string) => Buffer.from(pem).toString('base64');

export function printKubeconfig({ url, authority, certificate, key, name = 'drover', user = 'admin' }: KubeconfigParts): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': encode(authority) } }],
    users: [
      { name: user, user: { 'client-certificate-data': encode(certificate), 'client-key-data': encode(printKey(createPrivateKey(key))) } },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  };
  return writeYaml(config, { isPretty: true });
}

export function writeKubeconfig(file: string, parts: KubeconfigParts): void {
  writeFileAtomic(file, printKubeconfig(parts), 0o600);
}
