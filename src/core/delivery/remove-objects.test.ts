import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { ConfigMap, CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import { applyObjects } from './apply-objects.ts';
import { configMap, deployment, startMemoryMember, widget, widgetDefinition } from './member-test-support.ts';
import { refOf, refText } from './object-ref.ts';
import { removeObjects } from './remove-objects.ts';

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
  await eventually(async () => !(await member.client.get(CustomResourceDefinition, { name: 'widgets.example.com' })));
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
