import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectMeta } from '../../../api/object.ts';
import { stateOf } from './resource-state.ts';

const now = new Date('2026-01-01T00:10:00Z');
type Condition = [type: string, status: string, message?: string];
const of = (conditions: readonly Condition[], metadata: ObjectMeta = {}) => {
  const status = { conditions: conditions.map(([type, value, message]) => ({ type, status: value, message })) };
  return Object.values(stateOf({ apiVersion: 'v1', kind: 'X', metadata, status }, now));
};

test('the state follows from the conditions in their order', () => {
  for (const [conditions, ...expected] of [
    [[], 'active', 'no', ''],
    [[['Ready', 'True', 'fine']], 'active', 'no', ''],
    [[['Pending', 'Unknown', 'soon']], 'pending', 'yes', 'soon'],
    [
      [
        ['Waiting', 'Unknown', 'Waiting for API to be available'],
        ['Ready', 'False', 'no'],
      ],
      'waiting',
      'yes',
      'Waiting for API to be available',
    ],
    [
      [
        ['Pending', 'Unknown', 'a'],
        ['Provisioned', 'Unknown', 'a'],
      ],
      'pending',
      'yes',
      'a',
    ],
    [
      [
        ['Provisioned', 'False', 'a'],
        ['Updated', 'False', 'b'],
      ],
      'updating',
      'error',
      'a; b',
    ],
    [
      [
        ['Updated', 'Unknown', 'a'],
        ['CreatorMadeOwner', 'False', 'b'],
      ],
      'configuring',
      'error',
      'a; b',
    ],
    [[['Ready', 'False', 'Cluster agent is not connected']], 'unavailable', 'yes', 'Cluster agent is not connected'],
    [[['Ready', 'Unknown', 'silent']], 'unavailable', 'error', 'silent'],
    [
      [
        ['Reconciling', 'True', 'busy'],
        ['Ready', 'False', 'no'],
      ],
      'reconciling',
      'yes',
      'busy',
    ],
    [
      [
        ['Connected', 'False', 'away'],
        ['SystemProjectCreated', 'False'],
      ],
      'active',
      'no',
      '',
    ],
    [[['toString', 'False', 'x']], 'active', 'no', ''],
  ] as [Condition[], string, string, string][])
    assert.deepEqual(of(conditions), expected, JSON.stringify(conditions));
});

test('what is being removed says what it waits for, and is a fault after a while', () => {
  const finalizers = ['wrangler.cattle.io/x', 'y'];
  assert.deepEqual(of([['Ready', 'False', 'no']], { deletionTimestamp: '2026-01-01T00:09:00Z', finalizers }), [
    'removing',
    'yes',
    'no; waiting on wrangler.cattle.io/x',
  ]);
  assert.deepEqual(of([], { deletionTimestamp: '2026-01-01T00:04:59Z', finalizers }), [
    'removing',
    'error',
    'waiting on wrangler.cattle.io/x',
  ]);
});
