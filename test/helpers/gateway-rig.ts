import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { Namespace, Secret } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { CustomResourceDefinition } from '../../src/api/builtin-kinds.ts';
import type { WebHandler } from '../../src/apiserver/http/https-server.ts';
import { clusterId } from '../../src/core/clusters/cluster-id.ts';
import { clusterIndexes } from '../../src/core/clusters/cluster-indexes.ts';
import { newToken, tokenSecret } from '../../src/core/registration/registration-token.ts';
import { notedAccess } from '../../src/auth/noted-access.ts';
import { auditedGateway } from '../../src/gateway/audit/audited-gateway.ts';
import { embeddedAccess } from '../../src/gateway/embedded-access.ts';
import { hubGateway } from '../../src/gateway/hub-gateway.ts';
import { embeddedClientAs } from '../../src/hub/embedded-client-as.ts';
import { createKey, readAuthority, type CertificateAuthority } from '../../src/pki/certificate-authority.ts';
import { writeCertificateRequest } from '../../src/pki/write-certificate-request.ts';
import { informer } from '../../src/runtime/informer.ts';
import { signProof } from '../../src/tunnel/agent-proof.ts';
import { agentGroup, agentHeaders, agentUser, registerPath, type RegisterAnswer } from '../../src/tunnel/protocol.ts';
import { TunnelSessions } from '../../src/tunnel/tunnel-sessions.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { eventually } from './eventually.ts';
import { startMemoryServer, type MemoryServer } from './memory-server.ts';

export interface GatewayRig extends MemoryServer {
  readonly url: string;
  readonly handler: WebHandler;
  /** The lines of the audit log. */
  readonly audit: JsonObject[];
  readonly authority: CertificateAuthority;
  readonly sessions: TunnelSessions;
  /** A Cluster that waits for its agent. Answers its id. */
  addCluster(name: string): Promise<string>;
  /** A registration token for it. */
  addToken(clusterId: string, options?: { expiresAt?: Date }): Promise<string>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  register(token: string, body?: Partial<{ clusterUid: string; agentVersion: string; csr: string }>): Promise<Response>;
}

/** For tests: the hub's gateway before an API server in memory, over a plain connection. */
export async function startGatewayRig(t: TestContext): Promise<GatewayRig> {
  const server = await startMemoryServer(t);
  const { api, client, pki } = server;
  await client.create(CustomResourceDefinition, Cluster.definition() as CustomResourceDefinition);
  await eventually(() => api.cluster.catalog.find(Cluster) !== undefined);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const clusters = informer(client, Cluster, { signal: stop.signal, indexes: clusterIndexes });
  await clusters.synced;
  const sessions = new TunnelSessions();
  t.after(() => sessions[Symbol.asyncDispose]());
  const audit: JsonObject[] = [];
  const own = hubGateway({
    hub: client,
    access: notedAccess(embeddedAccess({ ...api, clientAs: embeddedClientAs(api) })),
    authority: pki.authority,
    clusters,
    sessions,
    transportOf: cluster => sessions.transport(clusterId(cluster)),
    agentImage: 'drover/drover:test',
    version: '0.0.0',
    behind: api,
    signal: stop.signal,
    onError: (what, error) => t.diagnostic(`${what}: ${String(error)}`),
  });
  const handler = auditedGateway(own, {
    log: { write: event => void audit.push(event as JsonObject) },
    findCluster: ref => clusters.by('id', ref)[0] ?? clusters.get(ref),
  });
  const http = createServer({ shouldUpgradeCallback: req => handler.wantsUpgrade(req) }, (req, res) => handler.handle(req, res));
  http.on('upgrade', (req, socket, head) => handler.upgrade(req, socket, head));
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const fetchPath = (path: string, init: RequestInit = {}) => fetch(url + path, { ...init, signal: AbortSignal.timeout(10_000) });

  return {
    ...server,
    url,
    handler,
    audit,
    sessions,
    authority: readAuthority(pki.authority),
    fetch: fetchPath,
    async addCluster(name) {
      const cluster = await client.create(Cluster, newObject(Cluster, { name }, { connection: { mode: 'Tunnel' } }));
      const id = clusterId(cluster);
      await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
      await eventually(() => clusters.get(name) !== undefined);
      return id;
    },
    async addToken(namespace, { expiresAt = new Date(Date.now() + 60_000) } = {}) {
      const token = newToken();
      await client.create(Secret, tokenSecret(token, { namespace, expiresAt }));
      return token;
    },
    register: (token, body = {}) =>
      fetchPath(registerPath, {
        method: 'POST',
        headers: { [agentHeaders.token]: token, 'content-type': 'application/json' },
        body: JSON.stringify({ clusterUid: 'uid-1', agentVersion: '0.0.0', csr: csrFor(createKey()), ...body }),
      }),
  };
}

export function csrFor(key: KeyObject, clusterId?: string): string {
  if (clusterId === undefined) return writeCertificateRequest(key, { commonName: '' });
  return writeCertificateRequest(key, { commonName: agentUser(clusterId), organizations: [agentGroup] });
}

/** The headers by which an agent proves who it is, with whatever is wrong about them. */
export function proofHeaders(
  key: KeyObject | string,
  { certificate, clusterId, audience }: Pick<RegisterAnswer, 'certificate' | 'clusterId' | 'audience'>,
  now = new Date(),
): Record<string, string> {
  const proof = signProof(typeof key === 'string' ? createPrivateKey(key) : key, { user: agentUser(clusterId), audience, now });
  return {
    authorization: `Bearer ${proof}`,
    [agentHeaders.certificate]: new X509Certificate(certificate).raw.toString('base64'),
  };
}
