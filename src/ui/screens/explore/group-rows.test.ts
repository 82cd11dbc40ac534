import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviationText, groupRows, type ObjectGroup } from './group-rows.ts';
import { comparable } from './comparable.ts';

const columns = [
  { name: 'Name', type: 'string', priority: 0 },
  { name: 'Ready', type: 'string', priority: 0 },
  { name: 'Age', type: 'date', priority: 0 },
  { name: 'Images', type: 'string', priority: 1 },
];
const row = (cluster: string, name: string, ready: string, age: string, image = 'web:1') => ({
  cluster,
  isStale: false,
  object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'shop', name }, cells: [name, ready, age, image] },
});

test('the same object on many clusters is one, and says which clusters differ from most', () => {
  const groups = groupRows(
    [
      row('west', 'web', '1/2', '3d'),
      row('east', 'web', '2/2', '5d'),
      row('lab', 'only', '1/1', '1d'),
      row('north', 'web', '2/2', '5d', 'web:2'),
    ],
    columns,
  );
  assert.equal(groups.length, 2);
  const web = groups[0] as ObjectGroup;
  assert.deepEqual(
    web.members.map(one => one.cluster),
    ['east', 'north', 'west'],
  );
  assert.deepEqual(web.differences.map(deviationText), ['Ready is 1/2 on west', 'Images is web:2 on north']);
  assert.deepEqual(web.common, ['web', undefined, undefined, undefined]);
  assert.equal((groups[1] as { cluster: string }).cluster, 'lab', 'what is on one cluster alone is no group');
});

test('many clusters are counted, not all named', () => {
  assert.equal(deviationText({ column: 'Ready', value: '', clusters: ['a', 'b'] }), 'Ready is empty on a and b');
  assert.equal(deviationText({ column: 'Ready', value: '0/1', clusters: ['a', 'b', 'c', 'd', 'e'] }), 'Ready is 0/1 on a, b, c and 2 more');
});

test('Secrets are compared without their values', () => {
  const secret = (uid: string, key: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'door', uid, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': key } },
    data: { key, same: 'c2FtZQ==' },
  });
  const pair = comparable(secret('1', 'b25l'), secret('2', 'dHdv'));
  assert.doesNotMatch(JSON.stringify(pair), /b25l|dHdv|c2FtZQ|uid/);
  assert.notDeepEqual(pair[0]['data'], pair[1]['data']);
  assert.equal((pair[0]['data'] as Record<string, string>)['same'], (pair[1]['data'] as Record<string, string>)['same']);
});
