import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { plannedFields } from './changed-fields.ts';

const deployment = (replicas: number | undefined, containers: object[], metadata: object = {}): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: { ...(replicas !== undefined && { replicas }), containers },
    status: { replicas },
  }) as KubeObject;

test('every field that would change is named with both values; items of lists by their names', () => {
  const live = deployment(1, [{ name: 'web', image: 'web:1' }], { resourceVersion: '1', labels: { env: 'dev' } });
  const next = deployment(
    3,
    [
      { name: 'side', image: 'side:1' },
      { name: 'web', image: 'web:2', args: ['-v'] },
    ],
    { resourceVersion: '2' },
  );
  assert.deepEqual(plannedFields(live, next), [
    { path: '.spec.replicas', have: 1, want: 3 },
    { path: '.spec.containers[name=web].image', have: 'web:1', want: 'web:2' },
    { path: '.spec.containers[name=web].args', want: ['-v'] },
    { path: '.spec.containers[name=side]', want: { name: 'side', image: 'side:1' } },
    { path: '.metadata.labels', have: { env: 'dev' } },
  ]);
});

test('values of Secrets are masked, wherever they stand', () => {
  const secret = (value: string): KubeObject =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'door', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': value } },
      data: { key: value },
    }) as KubeObject;
  assert.deepEqual(plannedFields(secret('b25l'), secret('dHdv')), [{ path: '.data.key', have: '***', want: '***' }]);
});

test('long values are cut', () => {
  const map = (text: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map' }, data: { text } });
  const [field] = plannedFields(map('a'), map('b'.repeat(5000)));
  assert.ok(String(field!.want).length < 600);
});

test('fields that are called like what every object has are fields', () => {
  const map = (text: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map' }, data: JSON.parse(text) }) as KubeObject;
  assert.deepEqual(plannedFields(map('{"constructor":"a"}'), map('{"toString":"b","__proto__":"c"}')), [
    { path: '.data.constructor', have: 'a' },
    { path: '.data.toString', want: 'b' },
    { path: '.data.__proto__', want: 'c' },
  ]);
});
