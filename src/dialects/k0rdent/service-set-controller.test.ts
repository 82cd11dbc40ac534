import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { service, setsNamespace as namespace, startSetsWorld, told, type SetsWorld } from '../../../test/helpers/sets-world.ts';
import { ConfigMap } from '../../api/builtin-kinds.ts';
import { Work } from '../../api/work.ts';
import { ServiceSet } from './kinds/service-set.ts';

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
  const why = (name: string) => `service ${name}/${name} on cluster kcm-system/dev-cluster-1: ${missing}`;
  await told(world, set, { inline: why('inline'), from: why('from') });

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

test('values that are taken back are gone, and the defaults of the chart are as they were', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const set = await world.putSet([service('a', 'web-1', { values: 'of: somebody\nmore: { of: the same }' })]);
  await told(world, set, { a: 'Deployed' });
  assert.equal((await world.dataOf('a'))?.['of'], 'somebody');
  await world.putSet([service('a', 'web-1', { values: 'more: {}' })]);
  await eventually(
    () => world.dataOf('a'),
    data => data?.['of'] === 'nobody',
    { timeoutMs: 30_000 },
  );
  const { items } = await world.hub.client.list(Work);
  assert.deepEqual(items[0]?.spec.values, { more: {} });
  await world.putSet([service('a', 'web-1')]);
  await eventually(
    async () => (await world.hub.client.list(Work)).items[0]?.spec.values,
    values => JSON.stringify(values) === '{}',
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

type Reports = NonNullable<NonNullable<ServiceSet['status']>['releaseReports']>;
const reportsOf = (world: SetsWorld, set: string, isRight: (reports: Reports) => boolean) =>
  eventually(async () => (await world.hub.client.get(ServiceSet, { namespace, name: set }))?.status?.releaseReports ?? [], isRight, {
    timeoutMs: 60_000,
    what: `the reports of ${set}`,
  });
const summary = (reports: Reports) => reports.map(({ releaseName, action, message }) => `${releaseName} ${action}: ${message}`);

test('a set that only plans tells what it would do to each release, and does nothing', async t => {
  const world = await startSetsWorld(t);
  for (const version of ['1.0.0', '2.0.0']) await world.template(`web-${version[0]}`, version);
  const own = await world.putSet([service('mine', 'web-1'), service('shared', 'web-1'), service('high', 'web-1')], {
    config: { priority: 200 },
  });
  await told(world, own, { mine: 'Deployed', shared: 'Deployed', high: 'Deployed' });
  const trial = [service('fresh', 'web-1'), service('shared', 'web-2'), service('high', 'web-2')];
  const low = await world.putSet(trial, { mcs: 'low', config: { priority: 200, syncMode: 'DryRun' } });
  const lows = await reportsOf(world, low, reports => reports.length === 3);
  const conflict =
    'ClusterSummary p--dev-cluster-1-sveltos-dev-cluster-1 managing it (ClusterDeployment kcm-system/dev-cluster-1, priority 200)';
  assert.deepEqual(summary(lows), [
    'fresh Install: Chart web-1.0.0 would be installed',
    `shared Conflict: ${conflict}`,
    `high Conflict: ${conflict}`,
  ]);

  const high = await world.putSet([service('shared', 'web-2'), service('high', 'web-1', { values: 'of: trial' })], {
    mcs: 'high',
    config: { priority: 201, syncMode: 'DryRun' },
  });
  const from = '; the release would be taken over from ClusterDeployment kcm-system/dev-cluster-1, priority 200';
  assert.deepEqual(summary(await reportsOf(world, high, reports => reports.length === 2)), [
    `shared Upgrade: Current version: "web-1.0.0". Would move to version: "web-2.0.0"${from}`,
    `high Update Values: Objects would change: 1 to change${from}`,
  ]);
  assert.deepEqual(await world.states(low), { fresh: 'Pending', shared: 'Pending', high: 'Pending' });
  assert.deepEqual(await world.states(own), { mine: 'Deployed', shared: 'Deployed', high: 'Deployed' });
  assert.equal(await world.dataOf('fresh'), undefined);
  assert.deepEqual(await world.dataOf('high'), { version: '1.0.0', of: 'nobody' });
});

test('a set that begins to only plan takes nothing away and says as before what is deployed', async t => {
  const world = await startSetsWorld(t);
  for (const version of ['1.0.0', '2.0.0']) await world.template(`web-${version[0]}`, version);
  const set = await world.putSet([service('a', 'web-1'), service('b', 'web-1')]);
  await told(world, set, { a: 'Deployed', b: 'Deployed' });
  await world.putSet([service('a', 'web-2')], { config: { syncMode: 'DryRun' } });
  const reports = await reportsOf(world, set, found => found.length === 2 && found[0]!.action !== 'No Action');
  assert.deepEqual(summary(reports), [
    'a Upgrade: Current version: "web-1.0.0". Would move to version: "web-2.0.0"',
    'b Delete: Chart web-1.0.0 would go, unless another owner wants the release',
  ]);
  const status = (await world.hub.client.get(ServiceSet, { namespace, name: set }))?.status;
  assert.deepEqual(
    status?.services?.map(one => `${one.name} ${one.template} ${one.version} ${one.state}`),
    ['a web-1 web-1 Deployed', 'b web-1 web-1 Deployed'],
  );
  assert.equal((await world.dataOf('b'))?.['version'], '1.0.0');

  await world.putSet([service('a', 'web-2')], { config: { syncMode: 'Continuous' } });
  await told(world, set, { a: 'Deployed' });
  assert.equal((await world.dataOf('a'))?.['version'], '2.0.0');
  assert.equal(await world.dataOf('b'), undefined);
});
