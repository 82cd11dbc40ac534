import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../util/json.ts';
import { structOfKind } from '../facts/facts.ts';
import { settleStruct } from './settle.ts';

const settled = (group: string, version: string, kind: string, obj: JsonObject) => {
  settleStruct(structOfKind({ group, version, kind })!)?.(obj);
  return obj;
};

test('an empty list that is always printed is null once stored', () => {
  assert.deepEqual(settled('rbac.authorization.k8s.io', 'v1', 'Role', { metadata: {}, rules: [] }), { metadata: {}, rules: null });
  const pod = settled('', 'v1', 'Pod', { spec: { containers: [], volumes: [{ name: 'v', projected: { sources: [] } }] } });
  assert.deepEqual(pod, { spec: { containers: null, volumes: [{ name: 'v', projected: { sources: null } }] } });
});

test('what has content stays', () => {
  const role = { metadata: {}, rules: [{ verbs: ['get'] }] };
  assert.deepEqual(settled('rbac.authorization.k8s.io', 'v1', 'Role', structuredClone(role)), role);
});

test('extensions are stored as JSON and keep empty lists', () => {
  const definition = { spec: { versions: [] } };
  const group = 'apiextensions.k8s.io';
  assert.deepEqual(settled(group, 'v1', 'CustomResourceDefinition', structuredClone(definition)), definition);
});
