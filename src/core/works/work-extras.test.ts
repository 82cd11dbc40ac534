import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startWorksWorld, type WorksWorld } from '../../../test/helpers/works-world.ts';
import { ConfigMap, Namespace, Secret } from '../../api/builtin-kinds.ts';
import type { KindRef } from '../../api/define-kind.ts';
import { findCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import { workAnnotations, workReasons } from '../../api/work.ts';
import { readReleases } from '../releases/read-releases.ts';

const map = (name: string, data: Record<string, string>, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data,
});
const dataOf = async ({ member }: WorksWorld, name: string, namespace = 'shop') =>
  (await member.client.get(ConfigMap, { namespace, name }))?.data;
const patchData = (value: Record<string, string>) => `- { op: replace, path: /data, value: ${JSON.stringify(value)} }`;

test('a chart is delivered as its patches make it, and the record says the same', async t => {
  const world = await startWorksWorld(t);
  const content = await world.chart({
    'map.yaml': JSON.stringify(map('one', { a: '1' })),
    'other.yaml': JSON.stringify(map('two', { a: '1' })),
  });
  await world.put('web', { chart: { content }, patches: [{ patch: patchData({ a: 'patched' }), target: { name: 'one' } }] });
  const first = await world.ready('web');
  assert.deepEqual([await dataOf(world, 'one'), await dataOf(world, 'two')], [{ a: 'patched' }, { a: '1' }]);
  const member = { client: world.member.client } as Parameters<typeof readReleases>[0];
  const records = await readReleases(member, { name: 'web', namespace: 'shop' }, { signal: t.signal });
  assert.match(records.at(-1)?.release.manifest ?? '', /a: patched/);

  await world.put('web', { patches: [{ patch: patchData({ a: 'again' }), target: { name: 't.*' } }] });
  const second = await world.ready('web');
  assert.notEqual(second.status?.delivered?.inputs, first.status?.delivered?.inputs);
  assert.deepEqual([await dataOf(world, 'one'), await dataOf(world, 'two')], [{ a: '1' }, { a: 'again' }]);
});

test('plain objects are patched as well, and a patch may take one out', async t => {
  const world = await startWorksWorld(t);
  const remove = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n$patch: delete';
  await world.put('plain', {
    manifests: [map('one', { a: '1' }), map('two', { a: '1' })],
    patches: [
      { patch: patchData({ a: 'patched' }), target: { namespace: 'shop', name: 'one' } },
      { patch: remove, target: { name: 'two' } },
    ],
  });
  await world.ready('plain');
  assert.deepEqual([await dataOf(world, 'one'), await dataOf(world, 'two')], [{ a: 'patched' }, undefined]);
});

test('a patch that cannot be applied stalls the Work and says which', async t => {
  const world = await startWorksWorld(t);
  await world.put('plain', {
    manifests: [map('one', { a: '1' })],
    patches: [{ patch: '- { op: remove, path: /spec }', target: { name: 'one' } }],
  });
  const work = await world.ready('plain', 'False', workReasons.renderFailed);
  assert.match(findCondition(work, 'Stalled')?.message ?? '', /the patches cannot be applied: patch 1: /);
});

test('every namespace of the delivery is made when that is asked for, and stays', async t => {
  const world = await startWorksWorld(t);
  const manifests = [map('one', { a: '1' }, { namespace: 'far' }), map('two', { a: '1' })];
  await world.put('plain', { manifests, options: { createAllNamespaces: true } });
  await world.ready('plain');
  assert.deepEqual([await dataOf(world, 'one', 'far'), await dataOf(world, 'two')], [{ a: '1' }, { a: '1' }]);
  await world.delete('plain');
  await world.gone('plain');
  assert.ok(await world.member.client.get(Namespace, { name: 'far' }));
});

test('after so many failures it is not tried again until the Work changes', async t => {
  const world = await startWorksWorld(t);
  const manifests = [map('one', { a: '1' }, { namespace: 'nowhere' })];
  await world.put('plain', { manifests, options: { maxFailures: 1, createNamespace: false } });
  const work = await eventually(
    () => world.read('plain'),
    one => findCondition(one, 'Stalled')?.status === 'True',
    { timeoutMs: 30_000 },
  );
  assert.deepEqual([work?.status?.failures, work?.status?.nextTry], [1, undefined]);
  await world.put('plain', { options: { createAllNamespaces: true } });
  await world.ready('plain');
});

const Deployment: KindRef = { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', scope: 'Namespaced' };
type Template = { metadata?: { annotations?: Record<string, string> } };
const templateOf = (obj: KubeObject | undefined): Template | undefined =>
  (obj as { spec?: { template?: Template } } | undefined)?.spec?.template;
const marksOf = async ({ member }: WorksWorld) => {
  const found = await member.client.get(Deployment, { namespace: 'shop', name: 'web' });
  return {
    seen: found?.metadata.annotations?.[workAnnotations.mounted],
    pods: templateOf(found)?.metadata?.annotations?.[workAnnotations.mounted],
  };
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        volumes: [{ name: 'files', configMap: { name: 'files' } }],
        containers: [{ name: 'web', image: 'web', envFrom: [{ secretRef: { name: 'login' } }] }],
      },
    },
  },
};

test('workloads are restarted when what their pods use changes, and not before', async t => {
  const world = await startWorksWorld(t);
  const { client } = world.member;
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const login = (password: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace: 'shop' },
    data: { password: Buffer.from(password).toString('base64') },
  });
  await client.apply(Secret, login('one'));
  const options = { reload: true, wait: false };
  await world.put('plain', { manifests: [map('files', { a: '1' }), deployment], options });
  const first = await eventually(
    () => marksOf(world),
    ({ seen }) => seen !== undefined,
    { timeoutMs: 30_000 },
  );
  assert.equal(first.pods, undefined);

  await client.apply(Secret, login('two'));
  const second = await eventually(
    () => marksOf(world),
    ({ pods }) => pods !== undefined,
    { timeoutMs: 30_000 },
  );
  assert.equal(second.pods, second.seen);
  assert.notEqual(second.seen, first.seen);

  await world.restart();
  await world.put('plain', { manifests: [map('files', { a: '2' }), deployment], options });
  const third = await eventually(
    () => marksOf(world),
    ({ pods }) => pods !== second.pods,
    { timeoutMs: 30_000 },
  );
  assert.equal(third.pods, third.seen);
});

test('a rule that an object does not fulfil makes the Work unhealthy, also where others made the object', async t => {
  const world = await startWorksWorld(t);
  const { client } = world.member;
  const content = await world.chart({ 'map.yaml': JSON.stringify(map('one', { state: 'good' })) });
  const healthRules = [
    {
      name: 'team/rules#0',
      version: 'v1',
      kind: 'ConfigMap',
      healthy: '!has(obj.data.state) || obj.data.state == "good"',
      message: '"state is " + obj.data.state',
    },
  ];
  await world.put('web', { chart: { content }, healthRules });
  await world.ready('web');
  const label = { 'app.kubernetes.io/instance': 'web' };
  await client.create(ConfigMap, map('child', { state: 'bad' }, { namespace: 'shop', labels: label }));
  await client.create(ConfigMap, map('stranger', { state: 'bad' }, { namespace: 'shop' }));
  const work = await world.ready('web', 'False', workReasons.unhealthy);
  const broken = {
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'child',
    rule: 'team/rules#0',
    message: 'state is bad',
  };
  assert.deepEqual(work.status?.brokenRules, [broken]);

  await client.patch(ConfigMap, { namespace: 'shop', name: 'child' }, { type: 'merge', body: { data: { state: 'good' } } });
  assert.equal((await world.ready('web')).status?.brokenRules, undefined);
});
