import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { createValidTemplate, startMultiClusterServices } from '../../../test/helpers/multi-cluster-services.ts';
import { Namespace } from '../../api/builtin-kinds.ts';
import { cordonedTaints, uncordonedTaints } from '../../api/cluster-taints.ts';
import { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { clusterDeploymentAnnotation } from './cluster-of.ts';
import { k0rdentKinds } from './k0rdent-kinds.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace as namespace } from './kinds/group.ts';
import { Management } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { ServiceTemplate } from './kinds/template.ts';

type McsSpec = MultiClusterService['spec'];

/** A hub with MultiClusterServices whose ServiceSets nobody delivers but the test. */
async function start(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [...k0rdentKinds, Cluster]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await hub.create(Management, newObject(Management, { name: 'kcm' }, { release: 'drover' }));
  await createValidTemplate(hub, { namespace, name: 'web' });
  startMultiClusterServices(hub, { signal: stop.signal });
  const setsOf = async (mcs: string) => (await hub.list(ServiceSet)).items.filter(one => one.spec.multiClusterService === mcs);
  return {
    hub,
    setsOf,
    /** As after a kill: nothing is known any more but what the hub has. */
    stop: () => stop.abort(),
    startAgain() {
      const again = new AbortController();
      t.after(() => again.abort());
      startMultiClusterServices(hub, { signal: again.signal });
    },
    cluster: (name: string, labels: Record<string, string>) =>
      hub.create(ClusterDeployment, newObject(ClusterDeployment, { namespace, name, labels }, { template: 'sandbox' })),
    label: (name: string, labels: Record<string, string | null>) =>
      hub.patch(ClusterDeployment, { namespace, name }, { type: 'merge', body: { metadata: { labels } } }),
    service: (name: string, spec: Partial<McsSpec> = {}) =>
      hub.create(
        MultiClusterService,
        newObject(
          MultiClusterService,
          { name },
          { clusterSelector: { matchLabels: { tier: 'dev' } }, serviceSpec: { services: [{ name: 'web', template: 'web' }] }, ...spec },
        ),
      ),
    sets: (mcs: string, clusters: readonly string[]) =>
      eventually(
        async () => (await setsOf(mcs)).map(one => one.spec.cluster).sort(),
        found => JSON.stringify(found) === JSON.stringify(clusters),
        { what: `the clusters of ${mcs}` },
      ),
    /** What whoever delivers would say. */
    async deployed(mcs: string) {
      for (const { metadata, spec } of await setsOf(mcs)) {
        const { name = '', generation = 0 } = metadata;
        const services = (spec.services ?? []).map(({ name, namespace: ns, template, version = '' }) => ({
          ...{ type: 'Helm' as const, name, namespace: ns, template, version },
          ...{ state: 'Deployed' as const, lastStateTransitionTime: '2026-01-01T00:00:00Z' },
        }));
        const cluster = { apiVersion: 'k0rdent.mirantis.com/v1beta1', kind: 'ClusterDeployment', namespace, name: spec.cluster };
        await hub.apply(
          ServiceSet,
          {
            metadata: { namespace, name },
            status: {
              cluster,
              deployed: true,
              services,
              observedGeneration: generation,
              provider: { ready: true, suspended: false },
            },
          },
          { subresource: 'status' },
        );
      }
    },
    says: (name: string, count: string) =>
      eventually(
        () => hub.get(MultiClusterService, { name }),
        mcs => findCondition(mcs, 'ClusterInReadyState')?.message === count,
        { what: `what ${name} says` },
      ),
  };
}

test('a changed label is the matter of one cluster: the sets of others are not written', async t => {
  const world = await start(t);
  const names = Array.from({ length: 12 }, (_, i) => `c-${String(i).padStart(2, '0')}`);
  for (const name of names) await world.cluster(name, { tier: 'dev' });
  await world.service('everywhere');
  await world.sets('everywhere', names);
  await world.says('everywhere', '0/12');
  await world.deployed('everywhere');
  await world.says('everywhere', '12/12');
  const before = new Map((await world.setsOf('everywhere')).map(({ metadata, spec }) => [spec.cluster, metadata.resourceVersion]));

  await world.label('c-03', { tier: 'prod' });
  await world.sets(
    'everywhere',
    names.filter(name => name !== 'c-03'),
  );
  const mcs = await world.says('everywhere', '11/11');
  assert.ok(!mcs?.status?.matchingClusters?.some(one => one.name === 'c-03'));
  await world.label('c-03', { tier: 'dev' });
  await world.sets('everywhere', names);
  await world.says('everywhere', '11/12');
  for (const { metadata, spec } of await world.setsOf('everywhere'))
    if (spec.cluster !== 'c-03') assert.equal(metadata.resourceVersion, before.get(spec.cluster), spec.cluster);
});

test('clusters that do not match any more keep their services where that is asked for', async t => {
  const world = await start(t);
  await world.cluster('a', { tier: 'dev' });
  await world.cluster('b', { tier: 'dev' });
  await world.service('kept', { keepServicesOnSelectorMismatch: true });
  await world.service('other');
  await world.sets('kept', ['a', 'b']);
  await world.sets('other', ['a', 'b']);
  await world.label('a', { tier: null });
  await world.sets('other', ['b']);
  await world.says('kept', '0/1');
  await world.sets('kept', ['a', 'b']);
});

test('a cordoned cluster gets nothing new and keeps what it has; a drained one gives it up in order, and gets it back', async t => {
  const world = await start(t);
  const { hub } = world;
  const taint = async (decide: (taints: Cluster['spec']['taints']) => unknown) => {
    const { spec } = (await hub.get(Cluster, { name: 'a' }))!;
    await hub.patch(Cluster, { name: 'a' }, { type: 'merge', body: { spec: { taints: decide(spec.taints) as never } } });
  };
  for (const name of ['a', 'b']) {
    await world.cluster(name, { tier: 'dev' });
    const metadata = { name, annotations: { [clusterDeploymentAnnotation]: `${namespace}/${name}` } };
    await hub.create(Cluster, newObject(Cluster, metadata, { connection: { mode: 'Sandbox' } }));
  }
  await world.service('base');
  await world.service('kept', { keepServicesOnSelectorMismatch: true });
  await world.sets('base', ['a', 'b']);
  await world.sets('kept', ['a', 'b']);
  await world.deployed('base');
  await world.service('top', { dependsOn: ['base'] });
  await world.sets('top', ['a', 'b']);

  await taint(taints => cordonedTaints(taints, false, new Date()));
  await world.service('new');
  await world.sets('new', ['b']);
  await world.says('new', '0/1');
  await world.sets('base', ['a', 'b']);

  const set = (await world.setsOf('top')).find(one => one.spec.cluster === 'a')!;
  const finalizers = (list: string[]) =>
    hub.patch(ServiceSet, { namespace, name: set.metadata.name! }, { type: 'merge', body: { metadata: { finalizers: list } } });
  await finalizers(['test/held']);
  await taint(taints => cordonedTaints(taints, true, new Date()));
  await eventually(
    () => hub.get(ServiceSet, { namespace, name: set.metadata.name! }),
    one => one?.metadata.deletionTimestamp !== undefined,
  );
  await world.sets('base', ['a', 'b']);
  await finalizers([]);
  await world.sets('top', ['b']);
  await world.sets('base', ['b']);
  await world.sets('kept', ['a', 'b']);

  await taint(uncordonedTaints);
  for (const name of ['base', 'new']) await world.sets(name, ['a', 'b']);
});

test('a drain that nobody was there to begin, and a cordon, are known after a start', async t => {
  const world = await start(t);
  const { hub } = world;
  const member = async (name: string) => {
    const metadata = { name, annotations: { [clusterDeploymentAnnotation]: `${namespace}/${name}` } };
    await world.cluster(name, { tier: 'dev' });
    await hub.create(Cluster, newObject(Cluster, metadata, { connection: { mode: 'Sandbox' } }));
  };
  for (const name of ['a', 'b', 'c']) await member(name);
  await world.service('base');
  await world.sets('base', ['a', 'b', 'c']);
  world.stop();
  const now = new Date();
  const taint = (name: string, isToBeDrained: boolean) =>
    hub.patch(Cluster, { name }, { type: 'merge', body: { spec: { taints: cordonedTaints([], isToBeDrained, now) as never } } });
  await taint('a', true);
  await taint('b', false);
  await world.service('late');
  world.startAgain();
  await world.sets('base', ['b', 'c']);
  await world.sets('late', ['c']);
});

test('one that goes takes its sets with it, and one that depends on it is told', async t => {
  const world = await start(t);
  const { hub } = world;
  await world.cluster('a', { tier: 'dev' });
  await world.service('base');
  await world.service('top', { dependsOn: ['base'] });
  await world.sets('base', ['a']);
  await eventually(
    () => hub.get(MultiClusterService, { name: 'top' }),
    mcs => mcs?.status?.matchingClusters?.[0]?.message?.endsWith('waiting on base (0/1 services deployed)') === true,
  );
  await world.deployed('base');
  await world.sets('top', ['a']);

  await hub.delete(MultiClusterService, { name: 'base' });
  await eventually(
    () => hub.get(MultiClusterService, { name: 'base' }),
    mcs => findCondition(mcs, 'MultiClusterServiceDependencyValidation')?.message?.includes('1 other MultiClusterServices') === true,
  );
  await hub.delete(MultiClusterService, { name: 'top' });
  await eventually(
    () => hub.list(MultiClusterService),
    ({ items }) => items.length === 0,
  );
  assert.deepEqual((await hub.list(ServiceSet)).items, []);
});

test('services that cannot be delivered are told, and are delivered once they can', async t => {
  const world = await start(t);
  const { hub } = world;
  await world.cluster('a', { tier: 'dev' });
  await world.service('early', { serviceSpec: { services: [{ name: 'late', template: 'late' }] } });
  await eventually(
    () => hub.get(MultiClusterService, { name: 'early' }),
    mcs => findCondition(mcs, 'ServicesReferencesValidation')?.status === 'False',
  );
  const metadata = { namespace, name: 'late' };
  await hub.create(ServiceTemplate, newObject(ServiceTemplate, metadata, { helm: { chartSpec: { chart: 'web', version: '1' } } }));
  await hub.apply(ServiceTemplate, { metadata, status: { valid: true } }, { subresource: 'status' });
  await world.sets('early', ['a']);
});

test('what others write to the status does not stay', async t => {
  const world = await start(t);
  await world.cluster('a', { tier: 'dev' });
  await world.service('everywhere');
  await world.sets('everywhere', ['a']);
  await world.deployed('everywhere');
  await world.says('everywhere', '1/1');
  const body = { status: { matchingClusters: [] } };
  await world.hub.patch(MultiClusterService, { name: 'everywhere' }, { type: 'merge', body }, { subresource: 'status' });
  await eventually(
    () => world.hub.get(MultiClusterService, { name: 'everywhere' }),
    mcs => mcs?.status?.matchingClusters?.length === 1,
  );
});
