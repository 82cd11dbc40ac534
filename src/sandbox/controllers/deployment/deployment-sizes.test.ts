import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { sizeAnnotations } from './deployment-annotations.ts';
import {
  desiredSize,
  maxSurge,
  maxUnavailable,
  nextSizeOfNewest,
  scaleAll,
  shrinkOlder,
  sizeOf,
  totalSize,
  type StoredDeployment,
  type StoredReplicaSet,
} from './deployment-sizes.ts';

const identity = (name: string, i = 0) => ({
  apiVersion: 'apps/v1',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: `2026-01-01T00:00:${String(i).padStart(2, '0')}Z` },
});

function deployment(replicas: number, surge: number | string, unavailable: number | string): StoredDeployment {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } };
  return { ...identity('d'), kind: 'Deployment', spec: { replicas, selector: {}, template: {}, strategy } };
}

function replicaSet(i: number, replicas: number, available: number, most?: { desired: number; max: number }): StoredReplicaSet {
  const { metadata, ...rest } = identity(`rs${i}`, i);
  const annotations = most ? sizeAnnotations(most.desired, most.max) : {};
  return {
    ...rest,
    kind: 'ReplicaSet',
    metadata: { ...metadata, annotations },
    spec: { replicas, selector: {}, template: {} },
    status: { replicas, availableReplicas: available },
  };
}

test('percentages round up for surge and down for unavailability, and never leave both at nothing', () => {
  const sizes = (replicas: number, surge: number | string, unavailable: number | string) => {
    const one = deployment(replicas, surge, unavailable);
    return [maxSurge(one), maxUnavailable(one)];
  };
  assert.deepEqual(sizes(10, '25%', '25%'), [3, 2]);
  assert.deepEqual(sizes(1, '25%', '25%'), [1, 0]);
  assert.deepEqual(sizes(3, 0, '10%'), [0, 1]);
  assert.deepEqual(sizes(2, 0, 5), [0, 2]);
  assert.deepEqual(sizes(0, 1, 1), [1, 0]);
});

const rollouts = fc.record({
  replicas: fc.integer({ min: 1, max: 30 }),
  surge: fc.integer({ min: 0, max: 10 }),
  unavailable: fc.integer({ min: 0, max: 10 }),
  sets: fc.array(fc.record({ size: fc.integer({ min: 0, max: 30 }), missing: fc.integer({ min: 0, max: 5 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

test('a step up never goes beyond the surge, and a step down never below what must be available', () => {
  fc.assert(
    fc.property(rollouts, ({ replicas, surge, unavailable, sets }) => {
      const one = deployment(replicas, surge, unavailable);
      const all = sets.map(({ size, missing }, i) => replicaSet(i, size, Math.max(0, size - missing)));
      const [newest, ...older] = all as [StoredReplicaSet, ...StoredReplicaSet[]];

      const next = nextSizeOfNewest(one, all, sizeOf(newest));
      const grown = totalSize(older) + next;
      if (next > sizeOf(newest)) assert.ok(grown <= replicas + maxSurge(one));

      const finals = new Map(older.map(set => [set, sizeOf(set)]));
      for (const { set, size } of shrinkOlder(one, newest, older)) {
        assert.ok(size >= 0 && size < (finals.get(set) ?? 0));
        finals.set(set, size);
      }
      const available = (set: StoredReplicaSet) => set.status?.availableReplicas ?? 0;
      const before = available(newest) + older.reduce((sum, set) => sum + available(set), 0);
      // The worst that can happen: all that go were available, except those that cannot have been.
      const after = available(newest) + older.reduce((sum, set) => sum + Math.min(available(set), finals.get(set) ?? 0), 0);
      const least = replicas - maxUnavailable(one);
      assert.ok(after >= Math.min(before, least), `${after} available after, ${before} before, at least ${least} wanted`);
    }),
  );
});

test('scaling in the middle of a rollout hands out exactly what is to be had', () => {
  const scalings = fc.record({
    after: fc.integer({ min: 1, max: 60 }),
    surge: fc.integer({ min: 1, max: 8 }),
    sizes: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 2, maxLength: 4 }),
  });
  fc.assert(
    fc.property(scalings, ({ after, surge, sizes }) => {
      const most = sizes.reduce((sum, size) => sum + size, 0);
      const one = deployment(after, surge, 1);
      const all = sizes.map((size, i) => replicaSet(i, size, 0, { desired: most - 1, max: most }));
      const [newest, ...older] = all.toReversed() as [StoredReplicaSet, ...StoredReplicaSet[]];
      const resized = scaleAll(one, newest, older);
      assert.equal(resized.length, all.length);
      assert.ok(resized.every(({ size }) => size >= 0));
      assert.equal(
        resized.reduce((sum, { size }) => sum + size, 0),
        desiredSize(one) + maxSurge(one),
      );
    }),
  );
});
