import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinResources, structByName, structOfKind } from './facts.ts';

test('every resource has a struct for its kind, its list and its subresources', () => {
  for (const { group, version, kind, listKind, verbs, subresources } of builtinResources()) {
    assert.ok(structOfKind({ group, version, kind }), kind);
    if (verbs.includes('list')) assert.ok(structOfKind({ group, version, kind: listKind }), listKind);
    for (const sub of subresources) assert.ok(structOfKind(sub.kind), `${kind} ${sub.name}`);
  }
});

test('fields know their order, presence, protobuf path and merging', () => {
  const volume = structByName('io.k8s.api.core.v1.Volume')!;
  assert.deepEqual(
    volume.fields.slice(0, 2).map(f => f.name),
    ['name', 'hostPath'],
  );
  const { type: _, ...hostPath } = volume.fieldsByName.get('hostPath')!;
  assert.deepEqual(hostPath, {
    name: 'hostPath',
    isPointer: true,
    omitEmpty: true,
    omitZero: false,
    isRequired: false,
    proto: [2, 1],
    embedded: ['VolumeSource'],
  });
  const ports = structByName('io.k8s.api.core.v1.Container')!.fieldsByName.get('ports')!;
  assert.deepEqual([ports.listType, ports.listMapKeys, ports.patchMergeKey], ['map', ['containerPort', 'protocol'], 'containerPort']);
});

test('a struct may contain itself', () => {
  const schema = structByName('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')!;
  assert.equal(schema.fieldsByName.get('not')!.type, schema);
});

test('options are found under any group version', () => {
  assert.equal(structOfKind({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })?.goName, 'DeleteOptions');
  assert.equal(structOfKind({ group: 'ex.io', version: 'v1', kind: 'Widget' }), undefined);
});

test('pods are described as discovery describes them', () => {
  const pods = builtinResources().find(r => r.resource === 'pods')!;
  assert.deepEqual([pods.shortNames, pods.categories, pods.storageVersionHash], [['po'], ['all'], 'xPOwRZ+Yhw8=']);
  assert.deepEqual(pods.subresources.find(s => s.name === 'eviction')!.kind, { group: 'policy', version: 'v1', kind: 'Eviction' });
});
