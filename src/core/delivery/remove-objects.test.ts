import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { ConfigMap, CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import { applyObjects } from './apply-objects.ts';
import { configMap, deployment, startMemoryMember, widget, widgetDefinition } from './member-test-support.ts';
import { refOf, refText } from './object-ref.ts';
import { removeObjects } from './remove-objects.ts';
import { waitGone } from './wait-gone.ts';

const owner = { work: 'c-m-1/plain' };
const texts = (refs: readonly Parameters<typeof refText>[0][]) => refs.map(refText).sort();

test('what belongs to the owner goes, in the reverse order of installation', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  const objects = [configMap('a'), deployment('web'), widgetDefinition, widget('w')];
  await applyObjects(member, objects, { owner, signal });
  member.calls.length = 0;
  const { removed, kept } = await removeObjects(member, objects.map(refOf), { owner, signal });
  assert.deepEqual(
    member.calls.filter(call => call.startsWith('delete')),
    ['delete widgets', 'delete deployments', 'delete customresourcedefinitions', 'delete configmaps'],
  );
  assert.equal(removed.length, 4);
  assert.deepEqual(kept, []);
  await waitGone(member, objects.map(refOf), { timeoutMs: 20_000, signal });
  assert.equal(await member.client.get(CustomResourceDefinition, { name: 'widgets.example.com' }), undefined);
});

test('what belongs to others, or is to be kept, stays; what is gone counts as removed', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  await applyObjects(member, [configMap('theirs')], { owner: { work: 'c-m-1/other' }, signal });
  await applyObjects(member, [configMap('mine'), configMap('kept', {}, { annotations: { 'helm.sh/resource-policy': ' Keep ' } })], {
    owner,
    signal,
  });
  const gone = { group: 'gone.example.com', version: 'v1', kind: 'Gadget', namespace: 'shop', name: 'g' };
  const refs = [...['theirs', 'mine', 'kept', 'missing'].map(name => refOf(configMap(name))), gone];
  const { removed, kept } = await removeObjects(member, refs, { owner, signal });
  assert.deepEqual(texts(removed), ['ConfigMap shop/mine', 'ConfigMap shop/missing', 'Gadget shop/g']);
  assert.deepEqual(kept.map(one => `${one.name} ${one.why}`).sort(), ['kept policy', 'theirs notOwned']);
  const { items } = await member.client.list(ConfigMap, { namespace: 'shop' });
  assert.deepEqual(
    items
      .map(one => one.metadata.name)
      .filter(name => name !== 'kube-root-ca.crt')
      .sort(),
    ['kept', 'theirs'],
  );
});

test('a dry run removes nothing', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  await applyObjects(member, [configMap('a')], { owner, signal });
  const { removed } = await removeObjects(member, [refOf(configMap('a'))], { owner, signal, dryRun: true });
  assert.equal(removed.length, 1);
  assert.ok(await member.client.get(ConfigMap, { namespace: 'shop', name: 'a' }));
});

test('objects that stay are named when the waiting ends', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  const held = configMap('held', {}, { finalizers: ['example.com/hold'] });
  await applyObjects(member, [held], { owner, signal });
  await removeObjects(member, [refOf(held)], { owner, signal });
  let isKnown = false;
  using _ = member.watches.follow(refOf(configMap('missing')), () => (isKnown = true));
  await eventually(() => isKnown);
  await assert.rejects(
    waitGone(member, [refOf(held), refOf(configMap('missing'))], { timeoutMs: 300, signal }),
    /not gone within 0\.3 s: ConfigMap shop\/held: look at their finalizers/,
  );
});
