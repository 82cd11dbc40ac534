import { Secret } from '../../api/builtin-kinds.ts';
import type { Cluster } from '../../api/cluster.ts';
import { bearer, fixed } from '../../client/credential.ts';
import { httpsTransport } from '../../client/https-transport.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { clusterId } from './cluster-id.ts';
import type { WayOpener } from './member-directory.ts';

const tokenKey = 'token';
/** Whoever asks for a member that is not there hears so within five seconds. */
const connectTimeoutMs = 4_500;
const clusterNamespace = /^(local|c-[a-z0-9]{5}|c-m-[a-z0-9]{8})$/;

/** Clusters whose API server the hub calls itself, with the token that is in a Secret of the cluster's namespace. */
export function directWay(secrets: Pick<Informer<Secret>, 'get'>): WayOpener {
  return {
    open(cluster) {
      const { server, caBundle, insecureSkipTLSVerify, tlsServerName, proxyURL } = cluster.spec.connection;
      if (server === undefined) throw new Error('its connection has no server');
      const transport = httpsTransport({
        server,
        ca: caBundle === undefined || caBundle === '' ? undefined : readBundle(caBundle),
        insecureSkipTlsVerify: insecureSkipTLSVerify,
        tlsServerName,
        proxyUrl: proxyURL || undefined,
        credentials: fixed(bearer(readToken(cluster, secrets))),
        connectTimeoutMs,
      });
      return { transport };
    },
  };
}

function readToken(cluster: Cluster, secrets: Pick<Informer<Secret>, 'get'>): string {
  const { secretName } = cluster.spec.connection;
  if (secretName === undefined || secretName === '') throw new Error('its connection names no Secret with a credential');
  const where = `${clusterId(cluster)}/${secretName}`;
  const secret = secrets.get(where);
  if (!secret) throw new Error(`there is no Secret "${where}"`);
  const token = Buffer.from(secret.data?.[tokenKey] ?? '', 'base64')
    .toString('utf8')
    .trim();
  if (token === '') throw new Error(`Secret "${where}" has no key "${tokenKey}"`);
  if (/[^\x21-\x7e]/.test(token)) throw new Error(`the token in Secret "${where}" has characters that no token has`);
  return token;
}

/** PEM in base64, or, since people paste it so, PEM itself. */
function readBundle(text: string): string {
  const pem = text.includes('-----BEGIN ') ? text : Buffer.from(text, 'base64').toString('utf8');
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error('its caBundle holds no certificate');
  return pem;
}

/** The Secrets that may hold credentials of clusters. Of all others only the names are kept. */
export function credentialSecrets(hub: KubeClient, options: { signal: AbortSignal; onError?(error: unknown): void }): Informer<Secret> {
  return informer(hub, Secret, { ...options, keep });
}

function keep({ apiVersion, kind, metadata, data }: Secret): Secret {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  const token = clusterNamespace.test(namespace) ? data?.[tokenKey] : undefined;
  return {
    apiVersion,
    kind,
    metadata: { namespace, name, uid, resourceVersion },
    ...(token !== undefined && { data: { [tokenKey]: token } }),
  };
}
