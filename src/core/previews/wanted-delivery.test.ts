import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ConfigMap } from '../../api/builtin-kinds.ts';
import { newObject } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { Work } from '../../api/work.ts';
import { applyObjects } from '../delivery/apply-objects.ts';
import { openMember, type Member } from '../delivery/member.ts';
import { createRenderPool } from '../../render/render-pool.ts';
import { writeArchive } from '../../render/write-archive.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { wantDelivery, type DeliverySite } from './wanted-delivery.ts';

const { signal } = new AbortController();
const release = { name: 'web', namespace: 'default' };
const digest = `sha256:${'a'.repeat(64)}`;

async function start(t: TestContext, bytes: Buffer = Buffer.alloc(0)): Promise<DeliverySite & { readonly member: Member }> {
  const { client } = await startMemoryServer(t);
  const member = openMember('east', client, { signal });
  t.after(() => member[Symbol.asyncDispose]());
  const renderer = createRenderPool({ size: 1 });
  t.after(() => renderer[Symbol.asyncDispose]());
  return { member, renderer, signal, readContent: async wanted => (assert.equal(wanted, digest), bytes) };
}

const configMap = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const workWith = (spec: Partial<Work['spec']>): Work => newObject(Work, { name: 'web', namespace: 'c-m-1' }, { release, ...spec });
const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

test('objects that a higher Work delivers are not wanted', async t => {
  const ref = { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'default', health: 'Current' } as const;
  const work = workWith({ manifests: [configMap('own', {}), configMap('theirs', {})] as never });
  const objects = [
    { ...ref, name: 'own' },
    { ...ref, name: 'theirs', outrankedBy: 'base' },
  ];
  const wanted = await wantDelivery({ ...work, status: { objects } }, await start(t));
  assert.deepEqual(names(wanted.objects), ['own']);
  assert.deepEqual(
    wanted.present.map(({ name }) => name),
    ['own'],
  );
  assert.deepEqual(wanted.owner, { work: 'c-m-1/web' });
});

test('what is left to others is wanted as it is', async t => {
  const site = await start(t);
  const work = workWith({
    manifests: [configMap('web', { a: '1', b: '1' })] as never,
    driftExclusions: [{ paths: ['/data/a'] }],
  });
  const placed = { ...configMap('web', { a: '1', b: '1' }), metadata: { name: 'web', namespace: 'default' } };
  await applyObjects(site.member, [placed], { owner: { work: 'c-m-1/web' }, signal });
  const others = { data: { a: '2', b: '2' } };
  await site.member.client.patch(
    ConfigMap,
    { namespace: 'default', name: 'web' },
    { type: 'merge', body: others },
    { fieldManager: 'ann' },
  );
  const { objects } = await wantDelivery(work, site);
  assert.deepEqual(objects[0]?.['data'], { b: '1' });
});

test('the namespace of the release is wanted where it is missing and would be made', async t => {
  const site = await start(t);
  const spec = { release: { name: 'web', namespace: 'shop' }, manifests: [configMap('web', {})] as never };
  assert.deepEqual(names((await wantDelivery(workWith(spec), site)).ownerless), ['shop']);
  assert.deepEqual((await wantDelivery(workWith({ ...spec, options: { createNamespace: false } }), site)).ownerless, []);
  assert.deepEqual((await wantDelivery(workWith({ manifests: spec.manifests }), site)).ownerless, []);
});

test('a chart is rendered for the member, with its definitions where they are missing', async t => {
  const files = {
    'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'crds/widgets.yaml': 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: widgets.example.com }\n',
    'templates/map.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\ndata: { first: "{{ .Release.IsInstall }}", ns: "{{ (lookup "v1" "Namespace" "" "default").metadata.name }}" }\n',
    'templates/hook.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hook, annotations: { helm.sh/hook: pre-install } }\n',
  };
  const site = await start(
    t,
    writeArchive(Object.entries(files).map(([name, text]) => ({ name: `web/${name}`, data: Buffer.from(text) }))),
  );
  const work = workWith({ chart: { content: digest } });
  const { objects, ownerless, owner } = await wantDelivery(work, site);
  assert.deepEqual(
    objects.map(({ metadata, data }) => [metadata.name, metadata.namespace, data]),
    [['web', 'default', { first: 'true', ns: 'default' }]],
  );
  assert.deepEqual(names(ownerless), ['widgets.example.com']);
  assert.deepEqual(owner, { release });
  assert.deepEqual((await wantDelivery({ ...work, spec: { ...work.spec, options: { crds: 'Skip' } } }, site)).ownerless, []);
});
