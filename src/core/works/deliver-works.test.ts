import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startWorksWorld, type WorksWorld } from '../../../test/helpers/works-world.ts';
import { contentTypes } from '../../api/content.ts';
import { writeArchive } from '../../render/write-archive.ts';
import { putContent } from '../contents/put-content.ts';
import { ConfigMap, ControllerRevision, Namespace, Pod, Secret } from '../../api/builtin-kinds.ts';
import { findCondition } from '../../api/conditions.ts';
import { revisionMarks, workFinalizer, type Work } from '../../api/work.ts';

const template = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  colour: {{ .Values.colour | default "none" | quote }}
  revision: {{ .Release.Revision | quote }}
`;

const configMap = (name: string, data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

const dataOf = async ({ member }: WorksWorld, name: string) => (await member.client.get(ConfigMap, { namespace: 'shop', name }))?.data;
const message = (work: Work | undefined, type = 'Ready') => findCondition(work, type)?.message;

async function recordsOf({ member }: WorksWorld): Promise<string[]> {
  const { items } = await member.client.list(Secret, { namespace: 'shop', labelSelector: 'owner=helm' });
  return items.map(({ metadata }) => `${metadata.name} ${metadata.labels?.['status']}`).sort();
}

test('a chart is installed, upgraded and uninstalled, and the Work says so', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({ 'map.yaml': template });
  await world.put('web', { chart: { content }, values: { colour: 'red' } });
  const work = await world.ready('web');
  assert.deepEqual(work.metadata.finalizers, [workFinalizer]);
  assert.equal(work.status?.cluster, 'east');
  assert.equal(work.status.healthy, '1/1');
  assert.deepEqual([work.status.delivered?.chart, work.status.delivered?.revision], ['web-1.0.0', 1]);
  assert.equal((await dataOf(world, 'web'))?.['colour'], 'red');

  await world.put('web', { values: { colour: 'blue' } });
  assert.equal((await world.ready('web')).status?.delivered?.revision, 2);
  assert.deepEqual(await dataOf(world, 'web'), { colour: 'blue', revision: '2' });
  assert.deepEqual(await recordsOf(world), ['sh.helm.release.v1.web.v1 superseded', 'sh.helm.release.v1.web.v2 deployed']);

  await world.delete('web');
  await world.gone('web');
  assert.equal(await dataOf(world, 'web'), undefined);
  assert.deepEqual(await recordsOf(world), []);
});

test('the higher claim takes a release over, and the lower one has it back, without an uninstall', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({ 'map.yaml': template });
  await world.put('low', { chart: { content }, values: { colour: 'red' } });
  await world.ready('low');
  const { uid } = (await world.member.client.get(ConfigMap, { namespace: 'shop', name: 'web' }))!.metadata;
  await world.put('high', { chart: { content }, values: { colour: 'gold' }, priority: 200 });
  await world.ready('high');
  assert.equal((await dataOf(world, 'web'))?.['colour'], 'gold');
  const low = await world.ready('low', 'False', 'Outranked');
  assert.deepEqual(low.status?.outrankedBy, { work: 'high', priority: 200 });
  assert.equal(message(low), 'Work "high" with priority 200 has release "shop/web" on cluster "east"');
  assert.equal(findCondition(low, 'Stalled'), undefined);

  await world.delete('high');
  await world.gone('high');
  const back = await world.ready('low');
  assert.deepEqual([back.status?.delivered?.revision, back.status?.outrankedBy], [3, undefined]);
  const found = await world.member.client.get(ConfigMap, { namespace: 'shop', name: 'web' });
  assert.deepEqual([found?.data?.['colour'], found?.metadata.uid], ['red', uid]);
});

test('plain objects are delivered, pruned when they leave the Work, and removed with it', async t => {
  const world = await startWorksWorld(t);
  await world.put('maps', { manifests: [configMap('a', { n: '1' }), configMap('b', { n: '1' })] });
  const work = await world.ready('maps');
  assert.deepEqual(
    work.status?.objects?.map(({ name, health }) => `${name} ${health}`),
    ['a Current', 'b Current'],
  );
  await world.put('maps', { manifests: [configMap('a', { n: '2' })] });
  await world.ready('maps');
  assert.deepEqual([await dataOf(world, 'a'), await dataOf(world, 'b')], [{ n: '2' }, undefined]);
  await world.delete('maps');
  await world.gone('maps');
  assert.equal(await dataOf(world, 'a'), undefined);
  assert.ok(await world.member.client.get(Namespace, { name: 'shop' }), 'a namespace may hold things of others');
});

test('an object that two Works want is delivered by the higher one, and passes to the other when that goes', async t => {
  const world = await startWorksWorld(t);
  await world.put('low', { manifests: [configMap('own', { of: 'low' }), configMap('shared', { of: 'low' })] });
  await world.ready('low');
  const { uid } = (await world.member.client.get(ConfigMap, { namespace: 'shop', name: 'shared' }))!.metadata;
  await world.put('high', { priority: 200, manifests: [configMap('shared', { of: 'high' })] });
  await world.ready('high');
  assert.deepEqual(await dataOf(world, 'shared'), { of: 'high' });
  const low = await world.ready('low', 'False', 'Outranked');
  assert.equal(low.status?.objects?.find(({ name }) => name === 'shared')?.outrankedBy, 'high');
  assert.equal(low.status?.healthy, '1/1');

  await world.delete('high');
  await world.gone('high');
  await world.ready('low');
  const found = await world.member.client.get(ConfigMap, { namespace: 'shop', name: 'shared' });
  assert.deepEqual([found?.data, found?.metadata.uid], [{ of: 'low' }, uid]);
});

test('what belongs to nobody is left alone unless the Work says otherwise', async t => {
  const world = await startWorksWorld(t);
  await world.member.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const foreign = { ...configMap('a', { of: 'somebody' }), metadata: { name: 'a', namespace: 'shop' } };
  await world.member.client.create(ConfigMap, foreign);
  await world.put('maps', { manifests: [configMap('a', { of: 'us' })] });
  const work = await world.ready('maps', 'False', 'NotOwned');
  assert.match(message(work, 'Stalled') ?? '', /^Release "shop\/web" on cluster "east": ConfigMap shop\/a is there already/);
  assert.equal(work.status?.nextTry, undefined);
  await world.restart();
  assert.deepEqual(await dataOf(world, 'a'), { of: 'somebody' });
  await world.put('maps', { options: { takeOwnership: true } });
  await world.ready('maps');
  assert.deepEqual(await dataOf(world, 'a'), { of: 'us' });
});

test('a template that fails is told with its place, is not tried again, and is mended by a change', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({ 'map.yaml': '{{ required "a colour is needed" .Values.colour }}' });
  await world.put('web', { chart: { content } });
  const work = await world.ready('web', 'False', 'RenderFailed');
  assert.match(message(work) ?? '', /on cluster "east": .*web\/templates\/map\.yaml:1:.*a colour is needed/);
  assert.equal(findCondition(work, 'Stalled')?.status, 'True');
  await world.put('web', { chart: { content: await world.chart({ 'map.yaml': template }, '1.0.1') } });
  assert.equal((await world.ready('web')).status?.delivered?.chart, 'web-1.0.1');
});

test('what may pass is tried again, and the status says when', async t => {
  const world = await startWorksWorld(t);
  await world.put('things', { manifests: [{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } }] });
  const work = await world.ready('things', 'False', 'ApplyFailed');
  assert.match(message(work) ?? '', /the member has no kind Thing in example\.com\/v1: is its CustomResourceDefinition installed\?/);
  assert.equal(findCondition(work, 'Stalled'), undefined);
  assert.ok(Date.parse(work.status?.nextTry ?? '') > 0);
  await eventually(
    () => world.read('things'),
    one => (one?.status?.failures ?? 0) >= 2,
    { timeoutMs: 30_000 },
  );
});

test('a Work waits for those it comes after', async t => {
  const world = await startWorksWorld(t);
  await world.put('second', { after: ['first'], manifests: [configMap('b', {})] });
  assert.equal(message(await world.ready('second', 'False', 'WaitingForWorks')), 'There is no Work "first"');
  await world.put('first', { suspend: true, manifests: [configMap('a', {})] });
  await eventually(
    () => world.read('second'),
    one => message(one) === 'Waits until "first" is ready',
  );
  assert.equal(await dataOf(world, 'b'), undefined);
  await world.put('first', { suspend: false });
  await world.ready('second');
});

test('a Work that is suspended leaves the member as it is', async t => {
  const world = await startWorksWorld(t);
  await world.put('maps', { manifests: [configMap('a', { n: '1' })] });
  await world.ready('maps');
  await world.put('maps', { suspend: true, manifests: [configMap('a', { n: '2' })] });
  await world.ready('maps', 'False', 'Suspended');
  assert.deepEqual(await dataOf(world, 'a'), { n: '1' });
  await world.put('maps', { suspend: false });
  await world.ready('maps');
  assert.deepEqual(await dataOf(world, 'a'), { n: '2' });
});

test('a Work that is delivered once is not delivered again', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({ 'map.yaml': template });
  await world.put('web', { sync: 'Once', chart: { content }, values: { colour: 'red' } });
  await world.ready('web');
  await world.put('web', { values: { colour: 'blue' } });
  await world.ready('web');
  assert.equal((await dataOf(world, 'web'))?.['colour'], 'red');
});

test('a dry run tells what would change and changes nothing', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({ 'map.yaml': template });
  await world.put('web', { chart: { content }, values: { colour: 'red' } });
  await world.ready('web');
  const other = await world.chart({ 'map.yaml': template, 'more.yaml': template.replace('{{ .Release.Name }}', 'more') }, '1.1.0');
  await world.put('trial', { sync: 'DryRun', priority: 900, chart: { content: other }, values: { colour: 'blue' } });
  const trial = await world.ready('trial', 'True', 'Planned');
  assert.deepEqual(trial.status?.plan?.map(({ name, action }) => `${name} ${action}`).sort(), ['more Create', 'web Change']);
  assert.equal(message(trial), 'Release "shop/web" on cluster "east": 1 to create, 1 to change');
  const claim = { work: 'web', priority: 100 };
  assert.deepEqual(trial.status?.planned, { action: 'Upgrade', chart: 'web-1.1.0', present: 'web-1.0.0', claim });
  assert.equal((await dataOf(world, 'web'))?.['colour'], 'red');
});

test('a Work that only plans holds nothing back from removal', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({ 'map.yaml': template });
  await world.put('web', { chart: { content } });
  await world.put('maps', { manifests: [configMap('a', {})] });
  await Promise.all([world.ready('web'), world.ready('maps')]);
  await world.put('trial', { sync: 'DryRun', chart: { content } });
  await world.put('try-maps', { sync: 'DryRun', manifests: [configMap('a', { n: '1' })] });
  await Promise.all([world.ready('trial'), world.ready('try-maps')]);
  for (const name of ['web', 'maps']) await world.delete(name);
  for (const name of ['web', 'maps']) await world.gone(name);
  assert.deepEqual([await dataOf(world, 'web'), await dataOf(world, 'a')], [undefined, undefined]);
});

test('what is to be kept stays when the Work goes', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({ 'map.yaml': template });
  await world.put('web', { onDelete: 'Keep', chart: { content } });
  await world.put('maps', { onDelete: 'Keep', release: { name: 'maps', namespace: 'shop' }, manifests: [configMap('a', {})] });
  await Promise.all([world.ready('web'), world.ready('maps')]);
  await Promise.all([world.delete('web'), world.delete('maps')]);
  await Promise.all([world.gone('web'), world.gone('maps')]);
  assert.ok(await dataOf(world, 'web'));
  assert.ok(await world.member.client.get(ConfigMap, { namespace: 'shop', name: 'a' }));
});

test('a member that cannot be reached is no failure, and is delivered to when it is back', async t => {
  const world = await startWorksWorld(t);
  world.cut();
  await world.put('maps', { manifests: [configMap('a', { n: '1' })] });
  const work = await world.ready('maps', 'Unknown', 'ClusterUnreachable');
  assert.equal(message(work), 'Cluster "east" cannot be reached; what runs there goes on');
  assert.equal(work.status?.failures, undefined);
  world.mend();
  await world.ready('maps');
});

test('health is followed after the delivery', async t => {
  const world = await startWorksWorld(t);
  await world.put('maps', { manifests: [configMap('a', {}), configMap('b', {})] });
  await world.ready('maps');
  await world.member.client.delete(ConfigMap, { namespace: 'shop', name: 'a' });
  const work = await world.ready('maps', 'False', 'Unhealthy');
  assert.equal(work.status?.healthy, '1/2');
  assert.match(message(work) ?? '', /ConfigMap "shop\/a"/);
});

test('a Work that is as it should be is not written to, also after a restart', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({ 'map.yaml': template });
  await world.put('web', { chart: { content } });
  await world.put('maps', { release: { name: 'maps', namespace: 'shop' }, manifests: [configMap('a', {})] });
  await Promise.all([world.ready('web'), world.ready('maps')]);
  const versions = async () => (await Promise.all(['web', 'maps'].map(world.read))).map(work => work?.metadata.resourceVersion);
  const before = await versions();
  await world.restart();
  await world.put('other', { release: { name: 'other', namespace: 'shop' }, manifests: [configMap('other', {})] });
  await world.ready('other');
  assert.deepEqual(await versions(), before);
});

test('earlier specs are kept, as many as are wanted', async t => {
  const world = await startWorksWorld(t);
  const revisions = async () => {
    const labelSelector = `${revisionMarks.work}=${(await world.read('maps'))!.metadata.uid}`;
    const { items } = await world.hub.client.list(ControllerRevision, { namespace: world.namespace, labelSelector });
    return items.sort((a, b) => a.revision - b.revision);
  };
  for (const n of ['1', '2', '3', '4']) {
    await world.put('maps', { options: { history: 3 }, manifests: [configMap('a', { n })] });
    await eventually(async () => JSON.stringify((await revisions()).at(-1)?.data).includes(`"n":"${n}"`));
  }
  const kept = await eventually(revisions, all => all.length === 3);
  assert.deepEqual(
    kept.map(({ revision }) => revision),
    [2, 3, 4],
  );
  await world.put('maps', { manifests: [configMap('a', { n: '2' })] });
  await eventually(revisions, all => all.at(-1)?.revision === 5 && all.length === 3, { what: 'an old revision that is the newest again' });
});

test('a kustomization is built and delivered', async t => {
  const world = await startWorksWorld(t);
  const file = (name: string, text: string) => ({ name, data: Buffer.from(text) });
  const archive = writeArchive([
    file('base/kustomization.yaml', 'resources: [map.yaml]\n'),
    file('base/map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { n: "1" }\n'),
    file('overlay/kustomization.yaml', 'resources: [../base]\nnamePrefix: pre-\n'),
  ]);
  const content = await putContent(world.hub.client, archive, { type: contentTypes.kustomization });
  await world.put('maps', { kustomization: { content, path: 'overlay' } });
  await world.ready('maps');
  assert.deepEqual(await dataOf(world, 'pre-a'), { n: '1' });
  await world.put('maps', { kustomization: { content, path: 'nowhere' } });
  const work = await world.ready('maps', 'False', 'RenderFailed');
  assert.match(message(work) ?? '', /the kustomization cannot be built: .*nowhere/);
});

test('a release that fails on the member says which object, and that it failed', async t => {
  const world = await startWorksWorld(t);
  const wrong = 'apiVersion: v1\nkind: Service\nmetadata: { name: bad }\nspec: { ports: [{ port: 99999999 }] }\n';
  await world.put('web', { chart: { content: await world.chart({ 'service.yaml': wrong }) } });
  const work = await world.ready('web', 'False', 'ApplyFailed');
  assert.match(message(work) ?? '', /^Release "shop\/web" on cluster "east": .*Service shop\/bad/);
  assert.deepEqual([work.status?.delivered?.state, work.status?.delivered?.revision], ['Failed', 1]);
  await world.put('web', { chart: { content: await world.chart({ 'map.yaml': template }, '1.0.1') } });
  await world.ready('web');
  assert.deepEqual(await recordsOf(world), ['sh.helm.release.v1.web.v1 failed', 'sh.helm.release.v1.web.v2 deployed']);
});

test('a newer spec overtakes a delivery that waits', async t => {
  const world = await startWorksWorld(t);
  // Nobody runs pods here: this is never healthy.
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata: { name: slow }\nspec: { containers: [{ name: a, image: b }] }\n';
  await world.put('web', { chart: { content: await world.chart({ 'pod.yaml': pod }) } });
  await eventually(
    () => world.read('web'),
    one => message(one)?.endsWith('waits until everything is healthy') === true,
    { timeoutMs: 30_000 },
  );
  await world.put('web', { chart: { content: await world.chart({ 'map.yaml': template }, '1.0.1') } });
  assert.equal((await world.ready('web')).status?.delivered?.chart, 'web-1.0.1');
});

test('a delivery that waits goes on when the cluster is reached in another way', async t => {
  const world = await startWorksWorld(t);
  const pod = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: web, image: web }] }
`;
  await world.put('web', { chart: { content: await world.chart({ 'pod.yaml': pod }) } });
  await eventually(
    () => world.read('web'),
    work => message(work)?.includes('waits until everything is healthy') === true,
    { timeoutMs: 60_000, what: 'the delivery to wait' },
  );
  world.reroute();
  // Whoever comes next takes the new way, and with that the old one ends.
  await world.put('other', { release: { name: 'other', namespace: 'shop' }, manifests: [configMap('other', { a: '1' })] });
  await world.ready('other');
  const conditions = ['Ready', 'ContainersReady', 'PodScheduled', 'Initialized'].map(type => ({ type, status: 'True' }));
  await world.member.client.patch(
    Pod,
    { namespace: 'shop', name: 'web' },
    { type: 'merge', body: { status: { phase: 'Running', conditions } } },
    { subresource: 'status' },
  );
  await world.ready('web');
});
