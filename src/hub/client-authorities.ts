import { X509Certificate } from 'node:crypto';
import { ConfigMap } from '../api/builtin-kinds.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { log } from '../runtime/log.ts';

/** Where API servers tell those who extend them whose certificates they take for their users. */
const place = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const;
const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The authorities of an API server's client certificates. None when it does not say: then people need tokens. */
export async function readClientAuthorities(hub: KubeClient): Promise<X509Certificate[]> {
  try {
    const bundle = (await hub.get(ConfigMap, place))?.data?.['client-ca-file'] ?? '';
    return (bundle.match(pemCertificate) ?? []).map(pem => new X509Certificate(pem));
  } catch (err) {
    log.warn('nobody can come to the gateway with a certificate: its authorities cannot be read', { err });
    return [];
  }
}
