import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entry, encodeObject } from '../store/entry.ts';
import type { KubeObject } from '../api/object.ts';
import { resourcesOf, type CustomResource } from './crd/custom-resources.ts';
import type { SchemaProps } from './crd/schema-props.ts';
import { listBody } from './list-body.ts';
import { bytesOf, isPlain } from './representation.ts';

const object = (properties: Record<string, SchemaProps>): SchemaProps => ({ type: 'object', properties });

function serve(
  spec: Record<string, SchemaProps>,
  beta: Record<string, SchemaProps> = spec,
): { v1: CustomResource; v1beta1: CustomResource } {
  const version = (name: string, properties: Record<string, SchemaProps>) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: object({ spec: object(properties) }) },
  });
  const [v1, v1beta1] = resourcesOf({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.ex.io' },
    spec: {
      group: 'ex.io',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version('v1', spec), version('v1beta1', beta)],
    },
  });
  return { v1: v1!, v1beta1: v1beta1! };
}

function stored(spec: object): Entry {
  const obj: KubeObject = { kind: 'Widget', apiVersion: 'ex.io/v1', metadata: { name: 'a', namespace: 'n', resourceVersion: '7' }, spec };
  return new Entry({ resource: 'ex.io/widgets', namespace: 'n', name: 'a' }, 7, encodeObject(obj));
}

const specIn = async (resource: CustomResource, entry: Entry) =>
  (JSON.parse((await bytesOf(resource, entry)).toString()) as { spec: object }).spec;

test('an object stored under the schema of today is sent as it lies there', async () => {
  const { v1 } = serve({ a: { type: 'string' } });
  const entry = stored({ a: 'x' });
  assert.ok(isPlain(v1, entry));
  assert.equal(await bytesOf(v1, entry), entry.bytes);
  const body = await listBody(v1, [entry, entry], { resourceVersion: '7' });
  const list = Buffer.alloc(body.size);
  assert.equal(body.fill(list), body.size);
  assert.deepEqual((JSON.parse(list.toString()) as { items: object[] }).items, [entry.obj, entry.obj]);
});

test('a definition that changes afterwards changes what is sent', async () => {
  const entry = stored({ a: 'x' });
  assert.ok(isPlain(serve({ a: { type: 'string' } }).v1, entry));
  const withDefault = serve({ a: { type: 'string' }, b: { type: 'string', default: 'y' } }).v1;
  assert.ok(!isPlain(withDefault, entry));
  assert.deepEqual(await specIn(withDefault, entry), { a: 'x', b: 'y' });
  assert.deepEqual(await specIn(serve({ b: { type: 'string' } }).v1, entry), {});
  assert.ok(isPlain(serve({ a: { type: 'string' } }).v1, entry));
});

test('another version is never sent as it lies there', async () => {
  const { v1, v1beta1 } = serve({ a: { type: 'string' }, b: { type: 'string', default: 'y' } }, { b: { type: 'string', default: 'z' } });
  const entry = stored({ a: 'x' });
  assert.ok(!isPlain(v1beta1, entry));
  assert.deepEqual(await specIn(v1, entry), { a: 'x', b: 'y' });
  assert.deepEqual(await specIn(v1beta1, entry), { b: 'y' });
});
