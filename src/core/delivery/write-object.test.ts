import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, Deployment } from '../../api/builtin-kinds.ts';
import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { ApplyManner } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { errorText } from '../../util/error-text.ts';
import { lastAppliedAnnotation } from '../../api/object.ts';
import { applyObjects } from './apply-objects.ts';
import { DeliveryError } from './delivery-error.ts';
import { configMap, deployment, startMemoryMember, widget, widgetDefinition, type MemoryMember } from './member-test-support.ts';

const owner = { work: 'c-m-1/web' };
const apply = (member: MemoryMember, objects: readonly KubeObject[], manner?: ApplyManner) =>
  applyObjects(member, objects, { owner, manner, takeOwnership: true, signal: member.signal });
const key = (name: string) => ({ namespace: 'shop', name });
const managersOf = (obj: KubeObject | undefined) =>
  (obj?.metadata.managedFields ?? []).map(({ manager, operation }) => `${manager} ${operation}`).sort();
const clientSide: ApplyManner = { mode: 'ClientSide', fieldManager: 'shipper' };

const Widget: KindRef<KubeObject> = { group: 'example.com', version: 'v1', kind: 'Widget', resource: 'widgets', scope: 'Namespaced' };

test('fields are owned under the name that is asked for', async t => {
  const member = await startMemoryMember(t);
  await apply(member, [configMap('a', { key: '1' })], { fieldManager: 'shipper' });
  assert.deepEqual(managersOf(await member.client.get(ConfigMap, key('a'))), ['shipper Apply']);
});

test('without force a field of others is no failure that passes, and stays', async t => {
  const member = await startMemoryMember(t);
  await apply(member, [configMap('a', { key: '1', other: '1' })]);
  await member.client.patch(ConfigMap, key('a'), { type: 'merge', body: { data: { key: 'theirs' } } }, { fieldManager: 'kubectl-edit' });
  await assert.rejects(apply(member, [configMap('a', { key: '2', other: '2' })], { force: false }), (error: unknown) => {
    assert.ok(error instanceof DeliveryError);
    assert.ok(error.isFinal);
    assert.match(errorText(error), /cannot apply ConfigMap shop\/a: others own \.data\.key \("kubectl-edit"\): leave them out/);
    return true;
  });
  assert.deepEqual((await member.client.get(ConfigMap, key('a')))!.data, { key: 'theirs', other: '1' });
  await apply(member, [configMap('a', { other: '2' })], { force: false });
  await apply(member, [configMap('a', { key: '3', other: '2' })], { force: true });
  assert.equal((await member.client.get(ConfigMap, key('a')))!.data!['key'], '3');
});

test('on the side of the client what was applied before and is not wanted goes, and what others added stays', async t => {
  const member = await startMemoryMember(t);
  await apply(member, [configMap('a', { kept: '1', dropped: '1' })], clientSide);
  await member.client.patch(ConfigMap, key('a'), { type: 'merge', body: { data: { added: 'theirs' } } });
  await apply(member, [configMap('a', { kept: '2' })], clientSide);
  const found = await member.client.get(ConfigMap, key('a'));
  assert.deepEqual(found!.data, { kept: '2', added: 'theirs' });
  assert.match(found!.metadata.annotations![lastAppliedAnnotation]!, /"data":\{"kept":"2"\}/);
  assert.ok(managersOf(found).includes('shipper Update'));
  // Nothing to change is nothing to write.
  await apply(member, [configMap('a', { kept: '2' })], clientSide);
  assert.equal((await member.client.get(ConfigMap, key('a')))!.metadata.resourceVersion, found!.metadata.resourceVersion);
});

test('on the side of the client lists merge by their keys', async t => {
  const member = await startMemoryMember(t);
  const withContainers = (containers: object[], more: object = {}): KubeObject => {
    const obj = deployment('web') as KubeObject & { spec: { template: { spec: object } } };
    return { ...obj, spec: { ...obj.spec, ...more, template: { ...obj.spec.template, spec: { containers } } } };
  };
  const web = (image: string, env: object[]) => ({ name: 'web', image, env });
  await apply(
    member,
    [
      withContainers([
        web('web:1', [
          { name: 'A', value: '1' },
          { name: 'B', value: '1' },
        ]),
        { name: 'side', image: 's' },
      ]),
    ],
    clientSide,
  );
  await member.client.patch(Deployment, key('web'), {
    type: 'strategic',
    body: { spec: { template: { spec: { containers: [{ name: 'injected', image: 'i' }] } } } },
  });
  await apply(member, [withContainers([web('web:2', [{ name: 'A', value: '2' }])], { strategy: { type: 'Recreate' } })], clientSide);
  const { spec } = (await member.client.get(Deployment, key('web')))!;
  const containers = spec!.template.spec!.containers;
  assert.deepEqual(containers.map(({ name, image }) => `${name} ${image}`).sort(), ['injected i', 'web web:2']);
  assert.deepEqual(containers.find(({ name }) => name === 'web')!.env, [{ name: 'A', value: '2' }]);
  // What the server had filled in for the other strategy would not go with this one.
  assert.deepEqual((spec as { strategy?: object }).strategy, { type: 'Recreate' });
});

test('on the side of the client custom kinds merge without lists', async t => {
  const member = await startMemoryMember(t);
  await apply(member, [widgetDefinition, widget('w', { size: 1, colors: ['red', 'blue'], gone: true })], clientSide);
  await apply(member, [widget('w', { size: 2, colors: ['green'] })], clientSide);
  assert.deepEqual((await member.client.get(Widget, key('w')))!['spec'], { size: 2, colors: ['green'] });
});

test('a server without server-side apply gets what kubectl sends', async t => {
  const member = await startMemoryMember(t, client => withoutApply(client));
  await apply(member, [configMap('a', { key: '1', gone: '1' })]);
  await apply(member, [configMap('a', { key: '2' })]);
  assert.deepEqual((await member.client.get(ConfigMap, key('a')))!.data, { key: '2' });
});

function withoutApply(client: KubeClient): KubeClient {
  const refuse = () => Promise.reject(new StatusError(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format'));
  return new Proxy(client, {
    get(target, name) {
      if (name === 'apply') return refuse;
      const method = Reflect.get(target, name) as unknown;
      return typeof method === 'function' ? (method as () => unknown).bind(target) : method;
    },
  });
}
