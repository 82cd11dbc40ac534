import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../../api/object.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { Fields } from './norman-type.ts';
import { commonFields, flatten, writeFields, type Shape } from './resource-shape.ts';

const fields: Fields = {
  ...commonFields,
  name: { type: 'string', create: true, update: true, at: 'spec.displayName' },
  clusterId: { type: 'reference[cluster]', create: true, at: 'spec.clusterName' },
  description: { type: 'string', create: true, update: true },
  expiresAt: { type: 'date' },
  hidden: { type: 'boolean', default: false },
  token: { type: 'password' },
};
const shape: Shape = { fields, isFlat: false, isStateful: true };
const now = new Date('2026-01-01T00:00:00Z');

test('spec, status and metadata stand side by side, by the names that clients know', () => {
  const obj: KubeObject = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: {
      name: 'p-12345',
      namespace: 'c-12345',
      uid: 'u1',
      resourceVersion: '7',
      generation: 3,
      finalizers: ['f'],
      creationTimestamp: '2026-01-01T00:00:01Z',
      annotations: { 'field.cattle.io/creatorId': 'u-abcde' },
    },
    spec: { displayName: 'Shop', extra: { kept: true } },
    status: { expiresAt: '2026-02-01T00:00:00Z', token: 'secret', conditions: [] },
  };
  assert.deepEqual(flatten(obj, shape, now), {
    name: 'Shop',
    extra: { kept: true },
    expiresAt: '2026-02-01T00:00:00Z',
    expiresAtTS: Date.parse('2026-02-01T00:00:00Z'),
    conditions: [],
    labels: {},
    annotations: { 'field.cattle.io/creatorId': 'u-abcde' },
    uuid: 'u1',
    created: '2026-01-01T00:00:01Z',
    createdTS: Date.parse('2026-01-01T00:00:01Z'),
    creatorId: 'u-abcde',
    clusterId: null,
    hidden: false,
    state: 'active',
    transitioning: 'no',
    transitioningMessage: '',
  });
});

test('kinds without a spec keep their fields, and their status is no field', () => {
  const flat = { apiVersion: 'v3', kind: 'GlobalRole', metadata: { name: 'x' }, displayName: 'X', rules: [], status: { a: 1 } };
  const named: Fields = { ...commonFields, name: { type: 'string', at: 'displayName' } };
  const shown = flatten(flat, { fields: named, isFlat: true, isStateful: false }, now);
  assert.deepEqual(
    [shown['name'], shown['rules'], 'displayName' in shown, 'status' in shown, 'a' in shown],
    ['X', [], false, false, false],
  );
});

test('labels of Rancher itself cannot be taken away or changed', () => {
  const present = {
    apiVersion: 'v3',
    kind: 'X',
    metadata: { labels: { 'authz.management.cattle.io/system-project': 'true', 'field.cattle.io/a': '1', mine: 'old', gone: 'x' } },
  };
  const written = writeFields(
    present,
    { labels: { 'authz.management.cattle.io/system-project': 'false', mine: 'new', 'provider.cattle.io': 'harvester' } },
    shape,
  );
  assert.deepEqual(written.metadata.labels, {
    'authz.management.cattle.io/system-project': 'true',
    'field.cattle.io/a': '1',
    mine: 'new',
    'provider.cattle.io': 'harvester',
  });
  assert.equal(present.metadata.labels.mine, 'old', 'the object given stays as it was');
});

test('what is written is what is shown', () => {
  const values = fc.record({ name: fc.string(), clusterId: fc.string(), description: fc.string() }, { requiredKeys: [] });
  fc.assert(
    fc.property(values, given => {
      const blank: KubeObject = { apiVersion: 'v3', kind: 'X', metadata: {}, spec: {} };
      const shown = flatten(writeFields(blank, given as JsonObject, shape), shape, now);
      for (const [name, value] of Object.entries(given)) assert.equal(shown[name], value);
      const emptied = writeFields(
        writeFields(blank, given as JsonObject, shape),
        Object.fromEntries(Object.keys(given).map(key => [key, null])),
        shape,
      );
      assert.deepEqual(emptied['spec'], {});
    }),
  );
});
