import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../test/helpers/memory-hub.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { CustomResourceDefinition, Namespace, Secret } from '../api/builtin-kinds.ts';
import { Cluster } from '../api/cluster.ts';
import { findCondition } from '../api/conditions.ts';
import { newObject } from '../api/define-kind.ts';
import { runClusterController } from '../core/clusters/cluster-controller.ts';
import { clusterId } from '../core/clusters/cluster-id.ts';
import { clusterIndexes } from '../core/clusters/cluster-indexes.ts';
import { informer } from '../runtime/informer.ts';
import { memoryKeyspaces } from '../store/keyspaces.ts';
import { adminSecret } from './admin-secret.ts';
import { runSandboxController } from './sandbox-controller.ts';
import { startSandboxHost } from './sandbox-host.ts';
import { sandboxMember, type SandboxMember } from './sandbox-member.ts';

async function startWorld(t: TestContext, orphans: readonly string[] = []) {
  const hub = await startMemoryHub(t, [Cluster]);
  const scratch = tempDir('sandboxes');
  const host = await startSandboxHost({ keyspaces: memoryKeyspaces(), dir: scratch.dir, pki: hub.pki });
  for (const name of orphans) await host.ensure({ name });
  const stop = new AbortController();
  t.after(async () => {
    stop.abort();
    await host[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });
  const clusters = informer(hub.client, Cluster, { signal: stop.signal, indexes: clusterIndexes });
  const members = new Map<string, SandboxMember>();
  const member = (name: string) =>
    members.get(name) ??
    members
      .set(
        name,
        sandboxMember(() => Promise.resolve(host), name),
      )
      .get(name)!;
  runSandboxController({ hub: hub.client, clusters, host, signal: stop.signal });
  // As the directory does it: another way after every announcement.
  host.subscribe(name => members.delete(name));
  const way = { client: (name: string) => member(name).client, subscribe: host.subscribe };
  runClusterController({ hub: hub.client, clusters, members: way, signal: stop.signal });
  return { hub: hub.client, host, member, read: (name: string) => hub.client.get(Cluster, { name }) };
}

const sandboxCluster = (name: string, nodes?: number) =>
  newObject(Cluster, { name }, { connection: { mode: 'Sandbox' }, ...(nodes !== undefined && { sandbox: { nodes } }) });
const isReady = (cluster: Cluster | undefined) => findCondition(cluster, 'Ready')?.status === 'True';

test('a Cluster that asks for a sandbox gets one, with an address, nodes and an administrator', async t => {
  const { hub, host, member, read } = await startWorld(t);
  await hub.create(Cluster, sandboxCluster('east', 3));
  const cluster = await eventually(
    () => read('east'),
    one => isReady(one) && one?.status?.server !== undefined && one.status.nodes?.ready === 3 && one.status.version !== undefined,
  );
  assert.equal(cluster?.status?.server, host.get('east')?.url);
  assert.equal(cluster?.status?.provider, 'sandbox');
  const inside = await member('east').client.get(Namespace, { name: 'kube-system' });
  assert.equal(cluster?.status?.uid, inside?.metadata.uid);
  const secret = await eventually(() => hub.get(Secret, { namespace: clusterId(cluster!), name: adminSecret.name }), Boolean);
  const kubeconfig = Buffer.from(secret?.data?.[adminSecret.key] ?? '', 'base64').toString();
  assert.match(kubeconfig, new RegExp(`server: ${host.get('east')!.url}`));
});

test('what people add to a sandbox shows in its Cluster', async t => {
  const { hub, member, read } = await startWorld(t);
  await hub.create(Cluster, sandboxCluster('east'));
  await eventually(
    () => read('east'),
    one => one?.status?.apiResources !== undefined,
  );
  await member('east').client.create(CustomResourceDefinition, Cluster.definition() as CustomResourceDefinition);
  await eventually(
    () => read('east'),
    one => one?.status?.apiResources?.some(({ groupVersion }) => groupVersion === 'drover.io/v1alpha1') === true,
  );
});

test('a sandbox grows with its Cluster and goes with it', async t => {
  const { hub, host, read } = await startWorld(t);
  await hub.create(Cluster, sandboxCluster('east'));
  await eventually(() => read('east'), isReady);
  await hub.patch(Cluster, { name: 'east' }, { type: 'merge', body: { spec: { sandbox: { nodes: 2 } } } });
  await eventually(
    () => read('east'),
    one => one?.status?.nodes?.total === 2,
  );
  const { kubeconfig } = host.get('east')!;
  await hub.delete(Cluster, { name: 'east' });
  await eventually(
    () => host.get('east'),
    one => one === undefined,
  );
  assert.equal(await read('east'), undefined);
  assert.equal(existsSync(kubeconfig), false);
});

test('a sandbox whose Cluster went while nobody looked is removed', async t => {
  const { host } = await startWorld(t, ['lost']);
  await eventually(
    () => host.get('lost'),
    one => one === undefined,
  );
});

test('a Cluster made anew under the same name is another sandbox', async t => {
  const { hub, read } = await startWorld(t);
  await hub.create(Cluster, sandboxCluster('east'));
  const uid = (
    await eventually(
      () => read('east'),
      one => isReady(one) && one?.status?.uid !== undefined,
    )
  )?.status?.uid;
  await hub.delete(Cluster, { name: 'east' });
  await eventually(
    () => read('east'),
    one => one === undefined,
  );
  await hub.create(Cluster, sandboxCluster('east'));
  await eventually(
    () => read('east'),
    one => isReady(one) && one?.status?.uid !== undefined && one.status.uid !== uid,
  );
});
