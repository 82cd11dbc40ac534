import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { choosePodsToDelete } from './pod-deletion-order.ts';
import type { StoredPod } from './pod-state.ts';

const now = new Date('2026-01-02T00:00:00Z');
const secondsAgo = (seconds: number) => `${new Date(now.getTime() - seconds * 1000).toISOString().slice(0, 19)}Z`;

interface Traits {
  node?: string;
  phase?: string;
  isReady?: boolean;
  cost?: string;
  readySeconds?: number;
  ageSeconds?: number;
  restarts?: number;
}

function pod(name: string, traits: Traits = {}): StoredPod {
  const { node = 'n1', phase = 'Running', isReady = true, cost, readySeconds = 100, ageSeconds = 200, restarts = 0 } = traits;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: secondsAgo(ageSeconds),
      ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: { containers: [], nodeName: node },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: secondsAgo(readySeconds) }],
      containerStatuses: [{ name: 'c', ready: isReady, restartCount: restarts, image: '', imageID: '' }],
    },
  };
}

const orderOf = (pods: StoredPod[], related: StoredPod[] = []) =>
  // One less than all: with all of them the order is not asked for.
  choosePodsToDelete(
    [...pods, pod('keep', { node: 'own', cost: '1000', ageSeconds: 90_000, readySeconds: 90_000 })],
    related,
    pods.length,
    now,
  ).map(({ metadata }) => metadata.name);

const cases: [string, StoredPod[], StoredPod[], string[]][] = [
  ['without a node first', [pod('a'), pod('b', { node: '' })], [], ['b', 'a']],
  [
    'pending before unknown before running',
    [pod('a'), pod('b', { phase: 'Unknown' }), pod('c', { phase: 'Pending' })],
    [],
    ['c', 'b', 'a'],
  ],
  ['not ready first', [pod('a'), pod('b', { isReady: false })], [], ['b', 'a']],
  [
    'least cost first; what is no cost is 0',
    [pod('a', { cost: '5' }), pod('b', { cost: '-5' }), pod('c', { cost: '+9' })],
    [],
    ['b', 'c', 'a'],
  ],
  ['from the node with more of their like', [pod('a', { node: 'x' }), pod('b', { node: 'y' })], [pod('p', { node: 'y' })], ['b', 'a']],
  ['ready for a shorter order of magnitude', [pod('a', { readySeconds: 10_000 }), pod('b', { readySeconds: 10 })], [], ['b', 'a']],
  ['more restarts first', [pod('a', { restarts: 1 }), pod('b', { restarts: 7 })], [], ['b', 'a']],
  ['younger by an order of magnitude', [pod('a', { ageSeconds: 50_000 }), pod('b', { ageSeconds: 150 })], [], ['b', 'a']],
];
for (const [name, pods, related, expected] of cases) test(name, () => assert.deepEqual(orderOf(pods, related), expected));

test('whatever the order they come in, the same pods are chosen', () => {
  const traits = fc.record({
    node: fc.constantFrom('', 'x', 'y'),
    phase: fc.constantFrom('Pending', 'Running'),
    isReady: fc.boolean(),
    cost: fc.constantFrom('0', '-1', '3'),
    readySeconds: fc.integer({ min: 0, max: 100_000 }),
    ageSeconds: fc.integer({ min: 0, max: 100_000 }),
    restarts: fc.integer({ min: 0, max: 3 }),
  });
  const lists = fc.array(traits, { minLength: 1, maxLength: 8 }).chain(all => {
    const pods = all.map((one, i) => pod(`p${i}`, one));
    return fc.record({
      pods: fc.constant(pods),
      shuffled: fc.shuffledSubarray(pods, { minLength: pods.length }),
      count: fc.nat(pods.length),
    });
  });
  fc.assert(
    fc.property(lists, ({ pods, shuffled, count }) => {
      const rank = (list: StoredPod[]) => choosePodsToDelete(list, pods, count, now);
      assert.equal(rank(pods).length, count);
      const worst = (list: StoredPod[]) => list.filter(({ spec }) => spec.nodeName === '').length;
      assert.equal(worst(rank(pods)), worst(rank(shuffled)));
    }),
  );
});
