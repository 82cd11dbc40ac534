import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import {
  createValidTemplate,
  reportDelivery,
  reportReadiness,
  startMultiClusterServices,
  type Failing,
} from '../../../test/helpers/multi-cluster-services.ts';
import { ControllerRevision, Namespace } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { clusterDeploymentAnnotation } from './cluster-of.ts';
import { k0rdentKinds } from './k0rdent-kinds.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';
import { Management } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from './kinds/namespaced-multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';

const team = 'team-a';
const labels = { app: 'web' };
const spec = (template: string, more: Partial<MultiClusterService['spec']> = {}) => ({
  clusterSelector: { matchLabels: labels },
  serviceSpec: { services: [{ name: 'web', namespace: 'web', template }] },
  ...more,
});
const rollout = {
  waves: [
    { name: 'first', clusterNames: ['a'] },
    { name: 'rest', remainder: true },
  ],
  onFailure: 'Rollback' as const,
};

/** A hub with both kinds of MultiClusterServices and clusters a and b in two namespaces, whose ServiceSets nobody delivers but the test. */
async function start(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [...k0rdentKinds, Cluster, Work]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  await hub.create(Management, newObject(Management, { name: 'kcm' }, { release: 'drover' }));
  for (const namespace of [systemNamespace, team]) {
    await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    for (const name of ['web-1', 'web-2']) await createValidTemplate(hub, { namespace, name }, name);
    for (const name of ['a', 'b']) {
      await hub.create(ClusterDeployment, newObject(ClusterDeployment, { namespace, name, labels }, { template: 'sandbox' }));
      const member = `${namespace}-${name}`;
      const annotations = { [clusterDeploymentAnnotation]: `${namespace}/${name}` };
      await hub.create(Cluster, newObject(Cluster, { name: member, annotations }, { connection: { mode: 'Sandbox' } }));
      await reportReadiness(hub, member, 'True');
    }
  }
  startMultiClusterServices(hub, { kinds: [MultiClusterService, NamespacedMultiClusterService], hasRollouts: true, signal: stop.signal });
  const setsOf = async (owner: string) => (await hub.list(ServiceSet)).items.filter(one => one.spec.multiClusterService === owner);
  /** What its clusters were told: `namespace/cluster` and the template. */
  const told = async (owner: string) =>
    Object.fromEntries(
      (await setsOf(owner))
        .map(({ metadata, spec: said }) => [`${metadata.namespace}/${said.cluster}`, said.services?.[0]?.template])
        .sort(),
    );
  return {
    hub,
    told,
    becomes: (owner: string, expected: Record<string, string>) =>
      eventually(
        () => told(owner),
        found => JSON.stringify(found) === JSON.stringify(expected),
        { what: `what ${owner} tells` },
      ),
    deliver: async (owner: string, failing?: Failing) => reportDelivery(hub, await setsOf(owner), failing),
  };
}

test('one of a namespace is rolled out in waves, goes back by itself, and keeps its revisions in its namespace', async t => {
  const { hub, told, becomes, deliver } = await start(t);
  const key = { namespace: team, name: 'web' };
  const owner = `${team}/web`;
  const phase = (expected: string, failing?: Failing) =>
    eventually(
      async () => {
        await deliver(owner, failing);
        return (await hub.get(NamespacedMultiClusterService, key))?.status?.rollout;
      },
      state => state?.phase === expected,
      { what: `phase ${expected}` },
    );
  await hub.create(NamespacedMultiClusterService, newObject(NamespacedMultiClusterService, key, spec('web-1', { rollout })));
  await phase('Succeeded');
  assert.deepEqual(await told(owner), { 'team-a/a': 'web-1', 'team-a/b': 'web-1' });
  const wants = (template: string) =>
    hub.patch(NamespacedMultiClusterService, key, { type: 'merge', body: { spec: { serviceSpec: spec(template).serviceSpec } } });
  await wants('web-2');
  await becomes(owner, { 'team-a/a': 'web-2', 'team-a/b': 'web-1' });
  await phase('RolledBack', (cluster, template) => cluster === 'a' && template === 'web-2');
  assert.deepEqual(await told(owner), { 'team-a/a': 'web-1', 'team-a/b': 'web-1' });
  assert.ok((await hub.list(ControllerRevision, { namespace: team })).items.length > 0);
  assert.deepEqual(
    (await hub.list(ControllerRevision, { namespace: systemNamespace })).items,
    [],
    'what a tenant wants is told to nobody else',
  );
});

test('a cluster whose turn it is waits for what its service depends on, and the next wave waits with it', async t => {
  const { hub, becomes, deliver } = await start(t);
  await hub.create(MultiClusterService, newObject(MultiClusterService, { name: 'base' }, spec('web-1')));
  await becomes('base', { 'kcm-system/a': 'web-1', 'kcm-system/b': 'web-1', 'team-a/a': 'web-1', 'team-a/b': 'web-1' });
  const inWaves = {
    waves: [
      { name: 'first', clusterNames: [`${team}/a`] },
      { name: 'rest', remainder: true },
    ],
  };
  const top = { ...spec('web-2', { dependsOn: ['base'], rollout: inWaves }) };
  top.serviceSpec = { services: [{ name: 'top', namespace: 'web', template: 'web-2' }] };
  await hub.create(MultiClusterService, newObject(MultiClusterService, { name: 'top' }, top));
  const blocked = await eventually(
    () => hub.get(MultiClusterService, { name: 'top' }),
    found => found?.status?.matchingClusters?.some(one => one.reason === 'MultiClusterServiceDependencyNotReady') === true,
    { what: 'a cluster that waits for base' },
  );
  assert.notEqual(blocked?.status?.rollout?.phase, 'Succeeded');
  assert.deepEqual(
    (await hub.list(ServiceSet)).items.filter(one => one.spec.multiClusterService === 'top'),
    [],
  );

  await deliver('base');
  await becomes('top', { 'team-a/a': 'web-2' });
  await deliver('top');
  await becomes('top', { 'kcm-system/a': 'web-2', 'kcm-system/b': 'web-2', 'team-a/a': 'web-2', 'team-a/b': 'web-2' });
  await eventually(
    async () => {
      await deliver('top');
      return (await hub.get(MultiClusterService, { name: 'top' }))?.status?.rollout?.phase;
    },
    found => found === 'Succeeded',
    { what: 'the end of the rollout' },
  );
});
