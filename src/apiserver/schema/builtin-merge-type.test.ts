import assert from 'node:assert/strict';
import { test } from 'node:test';
import { structOfKind } from '../facts/facts.ts';
import { mergeTypeOfStruct } from './builtin-merge-type.ts';
import type { ListMerge, MergeType, ObjectMerge } from './merge-type.ts';

const typeAt = (gvk: { group: string; version: string; kind: string }, path: string): MergeType | undefined => {
  let type: MergeType | undefined = mergeTypeOfStruct(structOfKind(gvk)!);
  for (const step of path.split('.')) {
    if (type?.type === 'list') type = type.element;
    type = (type as ObjectMerge).field(step);
  }
  return type;
};
const pod = { group: '', version: 'v1', kind: 'Pod' };
const service = { group: '', version: 'v1', kind: 'Service' };
const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };
const crd = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

const facts = (type: MergeType | undefined) => {
  const { element: _, ...rest } = type as ListMerge;
  return rest;
};

test('container ports are known by port and protocol, TCP unless said, and patched by port', () => {
  assert.deepEqual(facts(typeAt(pod, 'spec.containers.ports')), {
    type: 'list',
    listType: 'map',
    keys: ['containerPort', 'protocol'],
    keyDefaults: { containerPort: 0, protocol: 'TCP' },
    patchStrategy: ['merge'],
    patchMergeKey: 'containerPort',
  });
});

test('lists without any word about merging are atomic', () => {
  assert.deepEqual(facts(typeAt(pod, 'spec.containers.command')), { type: 'list', listType: 'atomic', keys: [], keyDefaults: {} });
});

test('finalizers are a set, owners a map, labels open', () => {
  assert.equal((typeAt(pod, 'metadata.finalizers') as ListMerge).listType, 'set');
  assert.deepEqual((typeAt(pod, 'metadata.ownerReferences') as ListMerge).keys, ['uid']);
  assert.equal((typeAt(pod, 'metadata.labels') as ObjectMerge).open, true);
  assert.deepEqual(typeAt(pod, 'metadata.labels.a'), { type: 'scalar', scalar: 'string' });
});

test('selectors are atomic and a strategy retains its keys', () => {
  assert.equal((typeAt(service, 'spec.selector') as ObjectMerge).atomic, true);
  assert.equal((typeAt(deployment, 'spec.selector') as ObjectMerge).atomic, true);
  assert.deepEqual((typeAt(deployment, 'spec.strategy') as ObjectMerge).patchStrategy, ['retainKeys']);
});

test('a schema within a schema is found, and a default within it is anything', () => {
  const schema = typeAt(crd, 'spec.versions.schema.openAPIV3Schema') as ObjectMerge;
  assert.equal((schema.field('properties') as ObjectMerge).field('a'), schema);
  assert.deepEqual(schema.field('default'), { type: 'untyped' });
});

test('an undeclared field has no type, and the same field always the same', () => {
  const type = mergeTypeOfStruct(structOfKind(pod)!);
  assert.equal(type.field('foo'), undefined);
  assert.equal(type.field('spec'), type.field('spec'));
});
