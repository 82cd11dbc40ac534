import { stringify } from 'yaml';
import { writeFileAtomic } from '../util/write-file-atomic.ts';

export interface KubeconfigParts {
  readonly url: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const encode = (pem: string) => Buffer.from(pem).toString('base64');

export function writeKubeconfig(file: string, { url, authority, certificate, key }: KubeconfigParts): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'drover', cluster: { server: url, 'certificate-authority-data': encode(authority) } }],
    users: [{ name: 'admin', user: { 'client-certificate-data': encode(certificate), 'client-key-data': encode(key) } }],
    contexts: [{ name: 'drover', context: { cluster: 'drover', user: 'admin' } }],
    'current-context': 'drover',
  };
  writeFileAtomic(file, stringify(config, { lineWidth: 0 }), 0o600);
}
