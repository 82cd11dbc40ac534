import assert from 'node:assert/strict';
import { test } from 'node:test';
import { structOfKind } from '../facts/facts.ts';
import { RestoreError, restoreStruct } from './restore-struct.ts';

const deployment = structOfKind({ group: 'apps', version: 'v1', kind: 'Deployment' })!;
const secret = structOfKind({ group: '', version: 'v1', kind: 'Secret' })!;

const faults: readonly [name: string, value: object, message: string][] = [
  ['text for a number', { spec: { replicas: 'x' } }, 'unrecognized type: int32'],
  ['a fraction for an integer', { spec: { replicas: 1.5 } }, 'cannot convert float64 to int32'],
  ['a number for text', { metadata: { name: 5 } }, 'cannot convert int64 to string'],
  ['a bool for text', { metadata: { name: true } }, 'unrecognized type: string'],
  ['a list for a struct', { spec: [] }, 'cannot restore struct from: slice'],
  ['a map for a list', { spec: { template: { spec: { containers: {} } } } }, 'cannot restore slice from map'],
  ['a list for a map', { metadata: { labels: [] } }, 'cannot restore map from slice'],
];

for (const [name, value, message] of faults) {
  test(`refuses ${name}`, () => {
    assert.throws(() => restoreStruct(deployment, value as never), new RestoreError(message));
  });
}

test('refuses what is no base64', () => {
  const message = 'error decoding from json: illegal base64 data at input byte 0';
  assert.throws(() => restoreStruct(secret, { data: { a: '!' } }), new RestoreError(message));
});

test('wraps integers around and keeps unknown fields', () => {
  const restored = restoreStruct(deployment, { spec: { replicas: 2 ** 32 + 3 }, extra: 1 });
  assert.deepEqual(restored, { spec: { replicas: 3 }, extra: 1 });
});
