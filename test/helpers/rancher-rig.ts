import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { ClusterRole, ClusterRoleBinding, Namespace } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { newObject } from '../../src/api/define-kind.ts';
import type { PolicyRule } from '../../src/api/kubernetes.ts';
import type { HubAccess } from '../../src/auth/hub-access.ts';
import { clusterIndexes } from '../../src/core/clusters/cluster-indexes.ts';
import { rancherIdentity, type Identity } from '../../src/dialects/rancher/identity/identity.ts';
import { signedInAccess } from '../../src/dialects/rancher/identity/signed-in-access.ts';
import { ManagementCluster } from '../../src/dialects/rancher/kinds/cluster.ts';
import { Project } from '../../src/dialects/rancher/kinds/project.ts';
import { Setting } from '../../src/dialects/rancher/kinds/setting.ts';
import type { User } from '../../src/dialects/rancher/kinds/user.ts';
import { rancherKinds } from '../../src/dialects/rancher/rancher-kinds.ts';
import { rancherObjects, type RancherObjects } from '../../src/dialects/rancher/rancher-objects.ts';
import { rancherWeb } from '../../src/dialects/rancher/rancher-web.ts';
import { embeddedAccess } from '../../src/gateway/embedded-access.ts';
import { hubGateway } from '../../src/gateway/hub-gateway.ts';
import { embeddedClientAs } from '../../src/hub/embedded-client-as.ts';
import { informer } from '../../src/runtime/informer.ts';
import { TunnelSessions } from '../../src/tunnel/tunnel-sessions.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { eventually } from './eventually.ts';
import { startMemoryHub } from './memory-hub.ts';
import { startMemoryServer, type MemoryServer } from './memory-server.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
  readonly text: string;
}

export interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose token to show; nobody's when absent. */
  readonly as?: Person;
}

export interface Person {
  readonly user: User;
  readonly bearer: string;
}

export interface RancherRig {
  readonly hub: MemoryServer;
  /** The cluster behind every Cluster of the hub. */
  readonly member: MemoryServer;
  readonly identity: Identity;
  readonly access: HubAccess;
  readonly objects: RancherObjects;
  readonly url: string;
  ask(path: string, asked?: Asked): Promise<Answered>;
  /** Somebody with a token, and with these rights on the hub. */
  addPerson(name: string, rules?: readonly PolicyRule[]): Promise<Person>;
  /** A cluster with both its faces. */
  addCluster(id: string, name: string, labels?: Record<string, string>): Promise<void>;
  addProject(clusterId: string, name: string, displayName: string): Promise<void>;
}

export const everything: readonly PolicyRule[] = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
export const password = 'correct horse battery';

/** For tests: Rancher's API whole, before a hub and a member in memory, over a plain connection. No controllers run. */
export async function startRancherRig(t: TestContext): Promise<RancherRig> {
  const known: { identity?: Identity } = {};
  const hub = await startMemoryHub(t, [Cluster, ...rancherKinds], { bearerTokens: token => known.identity?.bearerUser(token) });
  const member = await startMemoryServer(t);
  const { client, api, pki } = hub;
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const onError = (what: string) => (error: unknown) => t.diagnostic(`${what}: ${String(error)}`);

  const http = createServer({ shouldUpgradeCallback: req => handler.wantsUpgrade(req) }, (req, res) => handler.handle(req, res));
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  const facts = { serverUrl: url, authorities: pki.authority.certificate, version: 'v2.13.0', agentImage: 'drover:test' };
  const objects = rancherObjects(client, facts, { signal, onError });
  const identity = rancherIdentity({ hub: client, settings: objects.settings, signal, onError });
  known.identity = identity;
  const { tokens, users } = identity;
  const clusters = informer(client, Cluster, { signal, indexes: clusterIndexes });
  await Promise.all([clusters.synced, identity.objects.synced, objects.managementClusters.synced, objects.settings.informer.synced]);
  const access = signedInAccess(embeddedAccess({ ...api, clientAs: embeddedClientAs(api) }), tokens);
  const sessions = new TunnelSessions();
  t.after(() => sessions[Symbol.asyncDispose]());
  const web = rancherWeb({
    hub: client,
    access,
    objects,
    identity,
    findCluster: ref => clusters.by('id', ref)[0] ?? clusters.get(ref),
    transportOf: () => member.transport,
    serverUrl: url,
    version: 'v2.13.0',
    signal,
  });
  const handler = hubGateway({
    hub: client,
    access,
    authority: pki.authority,
    clusters,
    sessions,
    transportOf: () => member.transport,
    agentImage: 'drover:test',
    version: 'v2.13.0',
    dialects: [web],
    behind: api,
    signal,
    onError: (what, error) => t.diagnostic(`${what}: ${String(error)}`),
  });
  http.on('upgrade', (req, socket, head) => handler.upgrade(req, socket, head));
  for (const name of objects.settings.names)
    await client.create(Setting, { apiVersion: 'management.cattle.io/v3', kind: 'Setting', metadata: { name } } as Setting);

  return {
    hub,
    member,
    identity,
    access,
    objects,
    url,
    async ask(path, { method = 'GET', body, headers = {}, as } = {}) {
      const answer = await fetch(url + path, {
        method,
        headers: {
          ...(as && { authorization: `Bearer ${as.bearer}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(15_000),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type') === 'application/json';
      return { status: answer.status, headers: answer.headers, text, body: isJson ? (JSON.parse(text) as JsonObject) : {} };
    },
    async addPerson(name, rules = []) {
      const user = await users.create({ username: name, password, displayName: name }, { as: client });
      const id = user.metadata.name!;
      await eventually(() => users.get(id) !== undefined);
      if (rules.length > 0) await grant(client, id, rules);
      return { user, bearer: (await tokens.issue({ user, kind: 'api', description: 'test' })).bearer };
    },
    async addCluster(id, name, labels = {}) {
      await client.create(Cluster, newObject(Cluster, { name, labels }, { id, connection: { mode: 'Tunnel' } }));
      await client.create(ManagementCluster, newObject(ManagementCluster, { name: id, labels }, { displayName: name }));
      await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
      await eventually(() => clusters.get(name) !== undefined && objects.managementClusters.get(id) !== undefined);
    },
    async addProject(clusterId, name, displayName) {
      await client.create(Project, newObject(Project, { name, namespace: clusterId }, { displayName, clusterName: clusterId }));
    },
  };
}

async function grant(client: MemoryServer['client'], user: string, rules: readonly PolicyRule[]): Promise<void> {
  const name = `test-${user}`;
  const rbac = 'rbac.authorization.k8s.io';
  await client.create(ClusterRole, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules: [...rules] });
  await client.create(ClusterRoleBinding, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
  });
}
