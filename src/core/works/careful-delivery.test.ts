import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWorksWorld, type WorksWorld } from '../../../test/helpers/works-world.ts';
import { ConfigMap, Deployment, Namespace } from '../../api/builtin-kinds.ts';
import { findCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import type { JsonObject } from '../../util/json.ts';
import { deployment, widget, widgetDefinition } from '../delivery/member-test-support.ts';
import { WorkState } from './work-state.ts';

const map = (name: string, data: Record<string, string> = {}, namespace = 'shop'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});
const namespaceOf = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const listed = (objects: readonly KubeObject[]): JsonObject[] => objects as unknown as JsonObject[];
const refTo = (name: string) => ({ group: '', version: 'v1', kind: 'ConfigMap', namespace: 'shop', name });
const read = ({ member }: WorksWorld, name: string) => member.client.get(ConfigMap, { namespace: 'shop', name });
const versionOf = (obj: KubeObject | undefined): number => Number(obj?.metadata.resourceVersion);

test('as given: objects are applied in the order of the list, also those that are there already', async t => {
  const world = await startWorksWorld(t);
  const options = { order: 'AsGiven' as const };
  await world.put('plain', { manifests: listed([map('z'), deployment('web'), map('a')]), options });
  await world.ready('plain', 'False');
  const web = await world.member.client.get(Deployment, { namespace: 'shop', name: 'web' });
  assert.ok(versionOf(await read(world, 'z')) < Number(web?.metadata.resourceVersion));
  assert.ok(versionOf(await read(world, 'a')) > versionOf(await read(world, 'z')));

  await world.put('plain', { manifests: listed([map('z', { n: '2' }), map('m'), map('a', { n: '2' })]) });
  await world.ready('plain');
  const [z, m, a] = await Promise.all(['z', 'm', 'a'].map(async name => versionOf(await read(world, name))));
  assert.ok(z! < m! && m! < a!, `${z} ${m} ${a}`);
});

test('as given: a kind that is defined in the list is waited for', async t => {
  const world = await startWorksWorld(t);
  await world.put('plain', { manifests: listed([widgetDefinition, widget('one')]), options: { order: 'AsGiven', checkFirst: true } });
  const work = await world.ready('plain');
  assert.equal(work.status?.healthy, '2/2');
});

test('checked first: when the member refuses one, nothing is changed and all refusals are told', async t => {
  const world = await startWorksWorld(t);
  await world.member.client.create(Namespace, namespaceOf('shop') as Namespace);
  const wrong = (name: string): KubeObject => ({ ...map(name), data: { key: 7 } });
  await world.put('plain', { manifests: listed([map('fine'), wrong('one'), wrong('two')]), options: { checkFirst: true } });
  const work = await world.ready('plain', 'False', workReasons.applyFailed);
  assert.match(
    findCondition(work, 'Ready')?.message ?? '',
    /nothing was changed: cannot apply ConfigMap shop\/one.*cannot apply ConfigMap shop\/two/,
  );
  assert.equal(await read(world, 'fine'), undefined);
  assert.deepEqual(work.status?.objects, undefined);
});

test('checked first: a namespace of the same delivery may be missing, another one not', async t => {
  const world = await startWorksWorld(t);
  const options = { checkFirst: true, createNamespace: false };
  await world.put('plain', { manifests: listed([map('one'), map('two', {}, 'nowhere'), namespaceOf('shop')]), options });
  const work = await world.ready('plain', 'False', workReasons.applyFailed);
  assert.match(findCondition(work, 'Ready')?.message ?? '', /nothing was changed: cannot apply ConfigMap nowhere\/two/);
  assert.doesNotMatch(findCondition(work, 'Ready')?.message ?? '', /shop\/one/);

  await world.put('plain', { manifests: listed([namespaceOf('shop'), map('one')]) });
  await world.ready('plain');
});

test('what a Work removes besides goes once, whoever made it', async t => {
  const world = await startWorksWorld(t);
  const { client } = world.member;
  await client.create(Namespace, namespaceOf('shop') as Namespace);
  await client.create(ConfigMap, map('foreign') as ConfigMap);
  await world.put('plain', { manifests: listed([map('own')]), remove: [refTo('foreign'), refTo('gone-before'), refTo('own')] });
  await world.ready('plain');
  assert.deepEqual([await read(world, 'foreign'), (await read(world, 'own'))?.metadata.name], [undefined, 'own']);

  await client.create(ConfigMap, map('foreign') as ConfigMap);
  await world.put('plain', { sync: 'DetectDrift' });
  await world.ready('plain');
  await world.restart();
  await world.put('other', { release: { name: 'other', namespace: 'shop' }, manifests: listed([map('later')]) });
  await world.ready('other');
  assert.ok(await read(world, 'foreign'));
});

test('what another Work delivers is not removed besides', async t => {
  const world = await startWorksWorld(t);
  await world.put('other', { release: { name: 'other', namespace: 'shop' }, manifests: listed([map('theirs')]) });
  await world.ready('other');
  await world.put('plain', { manifests: listed([map('own')]), remove: [refTo('theirs')] });
  const work = await world.ready('plain', 'False', workReasons.notOwned);
  assert.match(findCondition(work, 'Ready')?.message ?? '', /cannot delete ConfigMap shop\/theirs: Work "other" delivers it/);
  assert.ok(await read(world, 'theirs'));
});

test('a watch that is behind does not make an applied object healthy again', () => {
  const work = { apiVersion: 'drover.io/v1alpha1', kind: 'Work', metadata: { uid: 'u', generation: 1 }, spec: {} };
  const state = new WorkState(work as never);
  const web = deployment('web');
  const ref = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  state.inventory = [{ ref }];
  state.setHealth(ref, { health: 'Current' });
  state.noteApplied({ ...web, metadata: { ...web.metadata, generation: 2, resourceVersion: '12' }, status: { observedGeneration: 1 } });
  const at = (resourceVersion: string): KubeObject => ({ ...web, metadata: { ...web.metadata, resourceVersion } });
  assert.equal(state.hearOf(ref, { health: 'Current' }, at('11')), false);
  assert.equal(state.objects[0]?.health, 'InProgress');
  assert.equal(state.hearOf(ref, { health: 'Current' }, at('13')), true);
  assert.equal(state.objects[0]?.health, 'Current');
});

test('all anew: a change of the Work also puts right what others changed', async t => {
  const world = await startWorksWorld(t);
  const change = (data: Record<string, string>) => ({ type: 'merge' as const, body: { data } });
  for (const [applyAll, value] of [
    [false, 'theirs'],
    [true, 'ours'],
  ] as const) {
    await world.put('plain', { manifests: listed([map('kept', { n: 'ours' }), map('other', { n: `before ${value}` })]), options: {} });
    await world.ready('plain');
    await world.member.client.patch(ConfigMap, { namespace: 'shop', name: 'kept' }, change({ n: 'theirs' }));
    await world.put('plain', { manifests: listed([map('kept', { n: 'ours' }), map('other', { n: value })]), options: { applyAll } });
    await world.ready('plain');
    assert.equal((await read(world, 'kept'))?.data?.['n'], value);
  }
});
