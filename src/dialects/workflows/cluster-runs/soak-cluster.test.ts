import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Work } from '../../../api/work.ts';
import { nextSoak } from './soak-cluster.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 17, 12, 0, seconds));
const work = (status: 'True' | 'False' | 'Unknown', health: 'Current' | 'InProgress' | 'Failed' = 'Current'): Work => {
  const condition = { type: 'Healthy', status, reason: 'X', message: 'web is not well', lastTransitionTime: '' };
  const object = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'prod', name: 'web', health };
  return { status: { conditions: [condition], objects: [object] } } as unknown as Work;
};

test('a cluster that stays well has nothing to say', () => {
  const first = nextSoak(undefined, { work: work('True'), restarts: { a: 3 }, now: at(0) });
  assert.deepEqual(first, { since: '2026-11-17T12:00:00Z', restarts: { a: 3 } });
  // New pods that never restarted are as good as old ones; what nobody knows is no illness.
  assert.deepEqual(nextSoak(first, { work: work('Unknown'), restarts: { a: 3, b: 0 }, now: at(10) }), first);
  assert.deepEqual(nextSoak(first, { work: undefined, restarts: undefined, now: at(20) }), first);
});

test('a pod that restarts is ill for good', () => {
  const first = nextSoak(undefined, { work: work('True'), restarts: { a: 3 }, now: at(0) });
  const ill = nextSoak(first, { work: work('True'), restarts: { a: 4 }, now: at(10) });
  assert.deepEqual([ill.illSince, ill.isCertain, ill.message], ['2026-11-17T12:00:10Z', true, 'a pod has restarted']);
  assert.equal(nextSoak(ill, { work: work('True'), restarts: { a: 4 }, now: at(20) }).illSince, '2026-11-17T12:00:10Z');
});

test('a workload that is unhealthy may recover, one that has failed does not count on it', () => {
  const first = nextSoak(undefined, { work: work('True'), restarts: {}, now: at(0) });
  const slow = nextSoak(first, { work: work('False', 'InProgress'), restarts: {}, now: at(10) });
  assert.deepEqual([slow.illSince, slow.isCertain, slow.message], ['2026-11-17T12:00:10Z', undefined, 'web is not well']);
  assert.equal(nextSoak(slow, { work: work('True'), restarts: {}, now: at(20) }).illSince, undefined);
  assert.equal(nextSoak(slow, { work: work('False', 'Failed'), restarts: {}, now: at(20) }).isCertain, true);
});
