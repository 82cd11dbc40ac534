import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { WriteContext } from '../resource.ts';
import type { ListMerge, ObjectMerge } from '../schema/merge-type.ts';
import { crdSpec } from './crd-object.ts';
import { compareVersions, resourcesOf } from './custom-resources.ts';
import { scaleOf, withScale } from './scale.ts';
import type { SchemaProps } from './schema-props.ts';

const ctx = { warn: () => undefined } as unknown as WriteContext;
const spec: SchemaProps = {
  type: 'object',
  properties: {
    replicas: { type: 'integer', default: 1 },
    color: { type: 'string' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
  },
};
const schema: SchemaProps = {
  type: 'object',
  properties: { spec, status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } } },
};
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' };

const crd = (changes: object = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.ex.io' },
  spec: {
    group: 'ex.io',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'], categories: ['all'] },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {} },
      },
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {}, scale },
        selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.replicas' }],
        additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
      },
      { name: 'v2alpha1', served: false, storage: false, schema: { openAPIV3Schema: schema } },
    ],
    ...changes,
  },
});
const widget = (content: object, apiVersion = 'ex.io/v1'): KubeObject =>
  ({
    apiVersion,
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default', uid: 'u', resourceVersion: '7', generation: 1 },
    ...content,
  }) as KubeObject;
const [v1, v1beta1] = resourcesOf(crd());
assert.ok(v1 && v1beta1);

test('one resource per served version, the best first', () => {
  assert.deepEqual(
    resourcesOf(crd()).map(resource => resource.version),
    ['v1', 'v1beta1'],
  );
  assert.deepEqual(['v1alpha1', 'foo', 'v2beta1', 'v10', 'v1', 'v11beta2', 'bar', 'v2'].sort(compareVersions), [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v2beta1',
    'v1alpha1',
    'bar',
    'foo',
  ]);
});

test('a resource shows what its definition says', () => {
  assert.equal(v1.storeKey, 'ex.io/widgets');
  assert.deepEqual(
    v1.subresources.map(({ name }) => name),
    ['status', 'scale'],
  );
  assert.deepEqual([v1.shortNames, v1.categories, v1.singular], [['wd'], ['all'], 'widget']);
  assert.equal(v1.deprecationWarning, undefined);
  assert.equal(v1beta1.deprecationWarning, 'ex.io/v1beta1 Widget is deprecated; use ex.io/v1 Widget');
  const fields = Object.fromEntries(
    Object.entries(v1.selectableFields).map(([name, read]) => [name, read(widget({ spec: { replicas: 3 } }))]),
  );
  assert.deepEqual(fields, { 'spec.color': '', 'spec.replicas': '3' });
});

test('status is written through its own door', () => {
  const obj = widget({ spec: { replicas: 2 }, status: { replicas: 9 } });
  v1.strategy.prepareForCreate?.(obj, ctx);
  assert.equal(obj['status'], undefined);

  const old = widget({ spec: { replicas: 2 }, status: { replicas: 1 } });
  const next = widget({ spec: { replicas: 3 }, status: { replicas: 9 } });
  v1.strategy.prepareForUpdate?.(next, old, ctx);
  assert.deepEqual([next['spec'], next['status']], [{ replicas: 3 }, { replicas: 1 }]);

  const status = widget({ spec: { replicas: 4 }, extra: 1, status: { replicas: 5 } });
  status.metadata.labels = { a: 'b' };
  v1.strategy.prepareForStatusUpdate?.(status, old, ctx);
  assert.deepEqual(
    [status['spec'], status['status'], status['extra'], status.metadata.labels],
    [{ replicas: 2 }, { replicas: 5 }, undefined, undefined],
  );
});

test('versions differ in name only when nothing converts', async () => {
  const stored = widget({ spec: { color: 'red' } });
  const read = await v1beta1.codec.fromStorage(stored);
  assert.deepEqual([read.apiVersion, read['spec']], ['ex.io/v1beta1', { color: 'red', replicas: 1 }]);
  assert.equal(stored.apiVersion, 'ex.io/v1');
  assert.equal((await v1beta1.codec.toStorage(read)).apiVersion, 'ex.io/v1');
  assert.equal(await v1.codec.fromStorage(stored), await v1.codec.fromStorage(stored));
});

test('reading fills defaults and drops what the schema no longer knows', async () => {
  const stored = widget({ spec: { color: 'red', gone: true } });
  assert.deepEqual((await v1.codec.fromStorage(stored))['spec'], { color: 'red', replicas: 1 });
  const complete = widget({ spec: { replicas: 1 } });
  assert.equal(await v1.codec.fromStorage(complete), complete);
});

test('a definition on its way out takes no new instances', () => {
  const leaving = { ...crd(), metadata: { name: 'widgets.ex.io', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const [resource] = resourcesOf(leaving);
  assert.throws(
    () => resource?.strategy.prepareForCreate?.(widget({}), ctx),
    (error: unknown) =>
      error instanceof StatusError &&
      error.code === 403 &&
      error.message === 'widgets.ex.io "w" is forbidden: create not allowed while custom resource definition is terminating',
  );
});

test('finalizers without a domain are warned about', () => {
  const obj = widget({});
  obj.metadata.finalizers = ['mine', 'ex.io/ok', 'foregroundDeletion'];
  const text =
    'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
  assert.deepEqual(v1.strategy.warningsOnCreate?.(obj, ctx), [text]);
  assert.deepEqual(v1.strategy.warningsOnUpdate?.(obj, obj, ctx), []);
});

test('a scale stands for the replicas of an object', () => {
  const obj = widget({ spec: { replicas: 3 }, status: { replicas: 2, selector: 'a=b' } });
  assert.deepEqual(scaleOf(obj, scale), {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'w', namespace: 'default', uid: 'u', resourceVersion: '7' },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: 'a=b' },
  });
  const scaled = withScale(obj, { ...scaleOf(obj, scale), spec: { replicas: 5 } }, scale);
  assert.deepEqual([scaled['spec'], obj['spec']], [{ replicas: 5 }, { replicas: 3 }]);
  assert.throws(() => scaleOf(widget({ spec: {} }), scale), /the spec replicas field ".spec.replicas" does not exist/);
});

test('objects merge as their schema says', () => {
  const root = v1.mergeType as ObjectMerge;
  const metadata = root.field('metadata') as ObjectMerge;
  const fields = root.field('spec') as ObjectMerge;
  const ports = fields.field('ports') as ListMerge;
  assert.deepEqual([ports.listType, ports.keys, ports.keyDefaults], ['map', ['port', 'protocol'], { protocol: 'TCP' }]);
  assert.deepEqual((metadata.field('ownerReferences') as ListMerge).keys, ['uid']);
  assert.equal((metadata.field('finalizers') as ListMerge).listType, 'set');
  assert.equal((metadata.field('labels') as ObjectMerge).atomic, false);
  assert.equal((fields.field('whole') as ObjectMerge).atomic, true);
  assert.equal(fields.field('free')?.type, 'untyped');
  assert.equal(fields.field('nope'), undefined);
});

test('a definition keeps the schemas of its versions apart', () => {
  const { versions } = crdSpec(crd());
  const other: SchemaProps = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'string' } } } } };
  const [first, second] = resourcesOf(crd({ versions: [versions[1], { ...versions[0], schema: { openAPIV3Schema: other } }] }));
  const problems: string[] = [];
  first?.codec.shape(widget({ spec: { size: 'x' } }), problems);
  second?.codec.shape(widget({ spec: { color: 'x' } }), problems);
  assert.deepEqual(problems, ['unknown field "spec.size"', 'unknown field "spec.color"']);
});
