import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ConfigMap, Namespace, Secret } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import type { DeliveryOptions } from '../../api/work.ts';
import { applyObjects } from '../delivery/apply-objects.ts';
import { openMember, type Member } from '../delivery/member.ts';
import { refKey, refOf } from '../delivery/object-ref.ts';
import { errorText } from '../../util/error-text.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { fileNameOf, planChanges } from './plan-changes.ts';
import type { WantedDelivery } from './wanted-delivery.ts';

const { signal } = new AbortController();
const owner = { release: { name: 'web', namespace: 'default' } };

const configMap = (name: string, data: Record<string, string>, namespace = 'default'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

async function start(t: TestContext): Promise<Member> {
  const { client } = await startMemoryServer(t);
  const member = openMember('east', client, { signal });
  t.after(() => member[Symbol.asyncDispose]());
  return member;
}

const plan = (member: Member, delivery: Partial<WantedDelivery>, options: DeliveryOptions = {}, wantedByOthers = new Set<string>()) =>
  planChanges(member, { owner, objects: [], ownerless: [], present: [], ...delivery }, { options, wantedByOthers, signal });

test('the member says what would become of each object, and changes nothing', async t => {
  const member = await start(t);
  const [kept, changed, gone] = ['kept', 'changed', 'gone'].map(name => configMap(name, { a: '1' })) as [
    KubeObject,
    KubeObject,
    KubeObject,
  ];
  await applyObjects(member, [kept, changed, gone], { owner, signal });
  const objects = [kept, configMap('changed', { a: '2' }), configMap('new', { a: '3' })];
  const { changes, problems } = await plan(member, { objects, present: [kept, changed, gone].map(refOf) });
  assert.deepEqual(problems, []);
  const data = (obj: KubeObject | undefined) => obj?.['data'];
  assert.deepEqual(
    changes.map(({ ref, live, merged }) => [ref.name, data(live), data(merged)]),
    [
      ['kept', { a: '1' }, { a: '1' }],
      ['changed', { a: '1' }, { a: '2' }],
      ['new', undefined, { a: '3' }],
      ['gone', { a: '1' }, undefined],
    ],
  );
  assert.equal(await member.client.get(ConfigMap, { namespace: 'default', name: 'new' }), undefined);
  assert.deepEqual(data(await member.client.get(ConfigMap, { namespace: 'default', name: 'changed' })), { a: '1' });
});

test('objects that are kept, that others want or that are not pruned are not deleted', async t => {
  const member = await start(t);
  const keeping = { 'helm.sh/resource-policy': 'keep' };
  const policy = { ...configMap('policy', {}), metadata: { name: 'policy', namespace: 'default', annotations: keeping } };
  const others = configMap('others', {});
  await applyObjects(member, [policy, others], { owner, signal });
  const present = [policy, others].map(refOf);
  assert.deepEqual((await plan(member, { present }, {}, new Set([refKey(refOf(others))]))).changes, []);
  assert.deepEqual((await plan(member, { present }, { prune: false })).changes, []);
  assert.deepEqual(
    (await plan(member, { present })).changes.map(({ ref }) => ref.name),
    ['others'],
  );
});

test('a namespace that the delivery makes is not missing', async t => {
  const member = await start(t);
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  const objects = [configMap('web', { a: '1' }, 'shop')];
  const { changes, problems } = await plan(member, { ownerless: [namespace], objects });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    changes.map(({ ref, merged }) => [ref.kind, merged?.metadata.name]),
    [
      ['Namespace', 'shop'],
      ['ConfigMap', 'web'],
    ],
  );
  assert.equal(await member.client.get(Namespace, { name: 'shop' }), undefined);
  const missing = await plan(member, { objects });
  assert.match(errorText(missing.problems[0]), /namespace "shop" does not exist/);
});

test('what the member or the deliverer would refuse is told for each object, beside the rest', async t => {
  const member = await start(t);
  await member.client.create(ConfigMap, configMap('theirs', {}) as ConfigMap);
  const frozen: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'frozen', namespace: 'default' },
    immutable: true,
    data: { a: 'YQ==' },
  };
  await applyObjects(member, [frozen], { owner, signal });
  const changed = { ...frozen, data: { a: 'Yg==' } };
  const unknown: KubeObject = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } };
  const objects = [configMap('theirs', {}), changed, unknown, configMap('fine', {})];
  const { changes, problems } = await plan(member, { objects });
  assert.deepEqual(
    changes.map(({ ref }) => ref.name),
    ['fine'],
  );
  const told = problems.map(errorText).sort();
  assert.match(told[0]!, /ConfigMap default\/theirs is there already and belongs to nobody/);
  assert.match(told[1]!, /cannot apply Secret default\/frozen/);
  assert.match(told[2]!, /no kind Widget in example.com\/v1/);
  const forced = await plan(member, { objects: [changed] }, { force: true });
  assert.deepEqual(forced.problems, []);
  assert.deepEqual((forced.changes[0]?.merged as Secret | undefined)?.data, { a: 'Yg==' });
  assert.equal(forced.changes[0]?.merged?.metadata.name, 'frozen');
});

test('kinds that the delivery itself defines are not missing', async t => {
  const member = await start(t);
  const names = { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const definition: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  };
  const widget: KubeObject = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } };
  const { changes, problems } = await plan(member, { ownerless: [definition], objects: [widget] });
  assert.deepEqual(problems.map(errorText), []);
  assert.deepEqual(
    changes.map(({ ref }) => ref.kind),
    ['CustomResourceDefinition', 'Widget'],
  );
});

test('files are named as kubectl diff names them, and stay in their folder', () => {
  const web = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  assert.equal(fileNameOf(web), 'apps.v1.Deployment.shop.web');
  assert.equal(fileNameOf({ group: '', version: 'v1', kind: 'Namespace', name: 'shop' }), 'v1.Namespace..shop');
  assert.equal(fileNameOf({ ...web, name: '../../x:y' }), 'apps.v1.Deployment.shop..._.._x_y');
});
