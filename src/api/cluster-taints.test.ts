import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cordonedTaints, isCordoned, isDrained, uncordonedTaints, whyKeptAway, type ClusterTaint } from './cluster-taints.ts';

const now = new Date('2026-01-01T00:00:00Z');
const cluster = (taints: readonly ClusterTaint[]) => ({ spec: { connection: { mode: 'Sandbox' as const }, taints: [...taints] } });
const gpu: ClusterTaint = { key: 'gpu', effect: 'NoSchedule' };

test('a cluster that is cordoned keeps what is there, one that is drained does not', () => {
  const cordoned = cluster(cordonedTaints([], false, now));
  const drained = cluster(cordonedTaints(cordoned.spec.taints, true, now));
  assert.deepEqual([isCordoned(cordoned), isDrained(cordoned), isCordoned(drained), isDrained(drained)], [true, false, true, true]);
  assert.equal(whyKeptAway(cordoned, true), undefined);
  assert.equal(whyKeptAway(cordoned, false), 'it is cordoned, so that nothing new is placed on it');
  for (const isThere of [true, false])
    assert.equal(whyKeptAway(drained, isThere), 'it is drained, so that what was placed on it goes away');
});

test('uncordon leaves the taints of others, and says when there is nothing to change', () => {
  const before = [gpu];
  assert.equal(uncordonedTaints(before), before);
  assert.deepEqual(uncordonedTaints(cordonedTaints(before, true, now)), [gpu]);
  const cordoned = cordonedTaints(before, false, now);
  assert.equal(cordonedTaints(cordoned, false, now), cordoned);
});

test('what karmadactl cordons is cordoned', () => {
  const byKarmada = cluster([{ key: 'cluster.karmada.io/unschedulable', effect: 'NoSchedule' }]);
  assert.equal(isCordoned(byKarmada), true);
  assert.equal(whyKeptAway(byKarmada, false), 'it is cordoned, so that nothing new is placed on it');
});

test('a cluster without taints, and one that nobody knows, take everything in', () => {
  assert.deepEqual([whyKeptAway(undefined, false), whyKeptAway(cluster([]), false)], [undefined, undefined]);
});
