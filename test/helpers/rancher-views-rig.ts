import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { Namespace } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { unauthorized } from '../../src/api/status.ts';
import type { HubAccess } from '../../src/auth/hub-access.ts';
import type { UserInfo } from '../../src/auth/user.ts';
import type { Transport } from '../../src/client/transport.ts';
import { rightsDesk } from '../../src/dialects/rancher/v3/caller-rights.ts';
import { settingDefaults } from '../../src/dialects/rancher/clusters/setting-names.ts';
import { settings } from '../../src/dialects/rancher/clusters/settings.ts';
import { ManagementCluster } from '../../src/dialects/rancher/kinds/cluster.ts';
import { Project } from '../../src/dialects/rancher/kinds/project.ts';
import { Setting } from '../../src/dialects/rancher/kinds/setting.ts';
import { harvester } from '../../src/dialects/rancher/harvester/harvester.ts';
import { sharedSources } from '../../src/dialects/rancher/subscribe/shared-sources.ts';
import { subscriptions } from '../../src/dialects/rancher/subscribe/subscriptions.ts';
import { steve, steveApis } from '../../src/dialects/rancher/v1/steve.ts';
import { sendNormanError } from '../../src/dialects/rancher/v3/answer-norman.ts';
import { kindType } from '../../src/dialects/rancher/v3/kind-type.ts';
import { memberApis } from '../../src/dialects/rancher/v3/member/member-apis.ts';
import { memberViews } from '../../src/dialects/rancher/v3/member/member-views.ts';
import { normanErrorOf } from '../../src/dialects/rancher/v3/norman-error.ts';
import { typeTable } from '../../src/dialects/rancher/v3/norman-type.ts';
import { embeddedAccess } from '../../src/gateway/embedded-access.ts';
import { responseOn } from '../../src/gateway/answer.ts';
import { embeddedClientAs } from '../../src/hub/embedded-client-as.ts';
import { informer } from '../../src/runtime/informer.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { startMemoryHub } from './memory-hub.ts';
import { startMemoryServer, type MemoryServer } from './memory-server.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

export interface RancherViewsRig {
  readonly hub: MemoryServer;
  /** The cluster "east". */
  readonly member: MemoryServer;
  readonly url: string;
  /** Asks as somebody, who is nobody when absent. */
  ask(path: string, init?: RequestInit & { readonly as?: UserInfo }): Promise<Answered>;
  listen(path: string, as: UserInfo, headers?: Record<string, string>): WebSocket;
  /** From now on nobody knows this user. */
  forget(name: string): void;
}

export const eastId = 'c-m-east0000';
export const projectId = `${eastId}:p-shop0`;
export const boss: UserInfo = { name: 'boss', groups: ['system:masters', 'system:authenticated'] };
export const person = (name: string): UserInfo => ({ name, groups: ['system:authenticated'] });

export interface ViewsRigOptions {
  /** What stands between the hub and the member. */
  wayTo?(member: Transport): Transport;
  /** How many nodes the hub knows of the member. */
  readonly nodes?: number;
}

/** For tests: what Rancher's API shows of members, `/v1` and subscriptions, before a hub and a member in memory. Who asks says it in a header. */
export async function startRancherViewsRig(
  t: TestContext,
  { wayTo = same => same, nodes = 1 }: ViewsRigOptions = {},
): Promise<RancherViewsRig> {
  const hub = await startMemoryHub(t, [Cluster, ManagementCluster, Project, Setting]);
  const member = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const east = await hub.client.create(
    Cluster,
    newObject(Cluster, { name: 'east' }, { id: eastId, connection: { mode: 'Direct', server: 'https://east' } }),
  );
  await hub.client.create(ManagementCluster, newObject(ManagementCluster, { name: eastId }, { displayName: 'east' }));
  await hub.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: eastId } });
  await hub.client.create(
    Project,
    newObject(Project, { name: 'p-shop0', namespace: eastId }, { displayName: 'Shop', clusterName: eastId }),
  );
  const facts = { serverUrl: '', authorities: '', version: '0.0.0', agentImage: 'drover:test' };
  const known = settings(informer(hub.client, Setting, { signal }), settingDefaults(facts), {});
  await known.informer.synced;

  const forgotten = new Set<string>();
  const access: HubAccess = {
    ...embeddedAccess({ ...hub.api, clientAs: embeddedClientAs(hub.api) }),
    async identify(req) {
      const user = req.headers['x-test-user'];
      if (typeof user !== 'string') throw unauthorized();
      const info = JSON.parse(user) as UserInfo;
      if (forgotten.has(info.name)) throw unauthorized();
      return info;
    },
  };
  const shown = { ...east, status: { nodes: { total: nodes, ready: nodes } } };
  const toMember = {
    findCluster: (ref: string) => (ref === eastId || ref === 'east' ? shown : undefined),
    transportOf: () => wayTo(member.transport),
  };
  const members = memberApis({ access, ...toMember });
  const deps = { hub: hub.client, access, settings: known, rights: rightsDesk(), members };
  const apis = steveApis(deps);
  const clusters = kindType({
    id: 'cluster',
    plural: 'clusters',
    kind: ManagementCluster,
    fields: {},
    isStateful: true,
    resourceMethods: ['GET'],
  });
  const routes = [
    subscriptions({
      ...deps,
      steve: apis,
      table: typeTable([clusters]),
      sourceOf: sharedSources(hub.client, { signal }),
      version: '0.0.0',
      recheckMs: 50,
    }),
    memberViews(deps),
    harvester({ ...toMember, steve: apis }),
    steve(apis),
  ];
  const routeOf = (req: IncomingMessage) => routes.find(one => one.handles((req.url ?? '').split('?', 1)[0]!))!;
  const fail = (req: IncomingMessage, res: ServerResponse) => (error: unknown) => sendNormanError(req, res, normanErrorOf(error));
  const http = createServer({ shouldUpgradeCallback: req => routeOf(req).wantsUpgrade?.(req) ?? false }, (req, res) => {
    routeOf(req).handle(req, res).catch(fail(req, res));
  });
  http.on('upgrade', (req, socket, head) => {
    const respond = () => responseOn(req, socket);
    routeOf(req).upgrade!(req, { socket, head, respond }).catch((error: unknown) => fail(req, respond())(error));
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  const headersOf = (as: UserInfo) => ({ 'x-test-user': JSON.stringify(as) });
  return {
    hub,
    member,
    url: `https://127.0.0.1:${port}`,
    forget: name => void forgotten.add(name),
    async ask(path, { as, ...init } = {}) {
      const headers = { ...(init.headers as Record<string, string>), ...(as && headersOf(as)) };
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers, signal: AbortSignal.timeout(10_000) });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: text === '' ? {} : (JSON.parse(text) as JsonObject) };
    },
    listen(path, as, headers = {}) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { ...headersOf(as), ...headers } });
      t.after(() => socket.terminate());
      return socket;
    },
  };
}
