import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startWorksWorld, type WorksWorld } from '../../../test/helpers/works-world.ts';
import { ConfigMap, Namespace } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { clusterIndexes } from '../../core/clusters/cluster-indexes.ts';
import { openMember } from '../../core/delivery/member.ts';
import { installKinds } from '../../hub/install-kinds.ts';
import { informer } from '../../runtime/informer.ts';
import type { JsonObject } from '../../util/json.ts';
import { clusterDeploymentAnnotation, clusterDeploymentIndex, clusterDeploymentsOf } from './cluster-of.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { StateManagementProvider } from './kinds/management.ts';
import { ServiceSet, type SetService } from './kinds/service-set.ts';
import { ServiceTemplate } from './kinds/template.ts';
import { ownedSetIndexes } from './owned-sets.ts';
import { runServiceSets, serviceSetIndexes } from './service-set-controller.ts';
import { serviceSetName } from './service-set-name.ts';
import { contentAnnotation } from './template-content.ts';

const namespace = 'kcm-system';
const cd = 'dev-cluster-1';

const configMap = `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data: { version: {{ .Chart.Version | quote }}, of: {{ .Values.of | default "nobody" | quote }} }
`;

interface SetsWorld extends WorksWorld {
  template(name: string, version: string): Promise<void>;
  putSet(services: SetService[], options?: { mcs?: string; config?: JsonObject }): Promise<string>;
  states(set: string): Promise<Record<string, string>>;
  dataOf(release: string): Promise<Record<string, string> | undefined>;
}

/** A hub with the controller of ServiceSets, one ClusterDeployment, and its member. */
async function startSetsWorld(t: TestContext): Promise<SetsWorld> {
  const world = await startWorksWorld(t);
  const { client } = world.hub;
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  await installKinds(client, [ServiceSet, ServiceTemplate, ClusterDeployment, StateManagementProvider], signal);
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const labels = { tier: 'dev' };
  await client.create(
    ClusterDeployment,
    newObject(ClusterDeployment, { name: cd, namespace, labels }, { template: 'adopted-cluster-1-0-1' }),
  );
  const annotations = { [clusterDeploymentAnnotation]: `${namespace}/${cd}` };
  await client.patch(Cluster, { name: 'east' }, { type: 'merge', body: { metadata: { annotations } } });
  const clusters = informer(client, Cluster, { signal, indexes: { ...clusterIndexes, [clusterDeploymentIndex]: clusterDeploymentsOf } });
  runServiceSets({
    hub: client,
    hubObjects: openMember('hub', client, { signal }),
    sets: informer(client, ServiceSet, { signal, indexes: { ...serviceSetIndexes, ...ownedSetIndexes } }),
    templates: informer(client, ServiceTemplate, { signal }),
    deployments: informer(client, ClusterDeployment, { signal }),
    providers: informer(client, StateManagementProvider, { signal }),
    clusters,
    works: world.works,
    precedence: () => 'inline',
    signal,
  });
  return {
    ...world,
    async template(name, version) {
      const digest = await world.chart({ 'map.yaml': configMap }, version);
      const metadata = { name, namespace, annotations: { [contentAnnotation]: digest } };
      await client.apply(ServiceTemplate, newObject(ServiceTemplate, metadata, { helm: { chartSpec: { chart: 'c', version } } }));
    },
    async putSet(services, { mcs, config = {} } = {}) {
      const name = serviceSetName(cd, mcs);
      const spec = { cluster: cd, provider: { config }, services, ...(mcs !== undefined && { multiClusterService: mcs }) };
      await client.apply(ServiceSet, newObject(ServiceSet, { name, namespace }, spec));
      return name;
    },
    async states(set) {
      const { status } = (await client.get(ServiceSet, { namespace, name: set })) ?? {};
      return Object.fromEntries((status?.services ?? []).map(one => [one.name, one.failureMessage ?? one.state]));
    },
    async dataOf(release) {
      const found = await world.member.client.get(ConfigMap, { namespace: release, name: release });
      return found?.data;
    },
  };
}

const service = (name: string, template: string, more: Partial<SetService> = {}): SetService => ({
  name,
  namespace: name,
  template,
  version: template,
  ...more,
});
const told = (world: SetsWorld, set: string, expected: Record<string, string>) =>
  eventually(
    () => world.states(set),
    states => JSON.stringify(states) === JSON.stringify(expected),
    { timeoutMs: 60_000, what: `the states of ${set}` },
  );

test('the higher owner has the release, the other says who, and takes it over when the winner goes', async t => {
  const world = await startSetsWorld(t);
  await world.template('nginx-4-11-0', '4.11.0');
  await world.template('nginx-4-11-3', '4.11.3');
  const own = await world.putSet([service('nginx', 'nginx-4-11-0')], { config: { priority: 100 } });
  await told(world, own, { nginx: 'Deployed' });
  assert.equal((await world.dataOf('nginx'))?.['version'], '4.11.0');

  const global = await world.putSet([service('nginx', 'nginx-4-11-3')], { mcs: 'global-ingress', config: { priority: 300 } });
  await told(world, global, { nginx: 'Deployed' });
  const conflict =
    'ClusterSummary p--dev-cluster-1-bb74fe23-sveltos-dev-cluster-1 managing it (MultiClusterService global-ingress, priority 300)';
  await told(world, own, { nginx: conflict });
  assert.equal((await world.dataOf('nginx'))?.['version'], '4.11.3');

  await world.putSet([service('nginx', 'nginx-4-11-0')], { config: { priority: 300 } });
  await world.putSet([service('nginx', 'nginx-4-11-0'), service('other', 'nginx-4-11-0')], { config: { priority: 300 } });
  await told(world, own, { nginx: conflict, other: 'Deployed' });
  assert.equal((await world.dataOf('nginx'))?.['version'], '4.11.3');

  await world.hub.client.delete(ServiceSet, { namespace, name: global });
  await told(world, own, { nginx: 'Deployed', other: 'Deployed' });
  assert.equal((await world.dataOf('nginx'))?.['version'], '4.11.0');
  await eventually(
    () => world.hub.client.get(ServiceSet, { namespace, name: global }),
    set => set === undefined,
  );
});

test('values are templates over the cluster, and change when what they come from does', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const { client } = world.hub;
  const values = (of: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'more', namespace },
    data: { 'a.yaml': `of: ${of}` },
  });
  const inline = service('inline', 'web-1', {
    values: 'of: {{ .Cluster.metadata.labels.tier }}',
    valuesFrom: [{ kind: 'ConfigMap', name: 'more' }],
  });
  const from = service('from', 'web-1', { valuesFrom: [{ kind: 'ConfigMap', name: 'more' }] });
  const set = await world.putSet([inline, from], { config: { continueOnError: true } });
  const missing = 'ConfigMap kcm-system/more with values is missing';
  await told(world, set, { inline: `service inline/inline: ${missing}`, from: `service from/from: ${missing}` });

  await client.apply(ConfigMap, values('configmap'));
  await told(world, set, { inline: 'Deployed', from: 'Deployed' });
  assert.deepEqual([(await world.dataOf('inline'))?.['of'], (await world.dataOf('from'))?.['of']], ['dev', 'configmap']);

  await client.apply(ConfigMap, values('another'));
  await eventually(
    () => world.dataOf('from'),
    data => data?.['of'] === 'another',
    { timeoutMs: 30_000 },
  );
});

test('a set that goes takes its services along, the last first', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const set = await world.putSet([service('a', 'web-1'), service('b', 'web-1')]);
  await told(world, set, { a: 'Deployed', b: 'Deployed' });
  const gone: string[] = [];
  using _watching = world.works.subscribe(({ type, object }) => {
    if (type === 'DELETED') gone.push(object.spec.release.name);
  });
  await world.hub.client.delete(ServiceSet, { namespace, name: set });
  await eventually(
    () => world.hub.client.get(ServiceSet, { namespace, name: set }),
    left => left === undefined,
    { timeoutMs: 30_000 },
  );
  assert.deepEqual(gone, ['b', 'a']);
  assert.equal(await world.dataOf('a'), undefined);
});

test('a priority out of range fails the set and says so', async t => {
  const world = await startSetsWorld(t);
  const set = await world.putSet([service('a', 'web-1')], { config: { priority: 0 } });
  const found = await eventually(
    () => world.hub.client.get(ServiceSet, { namespace, name: set }),
    one => one?.status?.conditions?.some(({ reason }) => reason === 'ServiceSetProfileBuildFailed') === true,
  );
  assert.match(found?.status?.conditions?.find(one => one.type === 'ServiceSetProfile')?.message ?? '', /priority must be/);
});
