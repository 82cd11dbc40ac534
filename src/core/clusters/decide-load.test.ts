import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../../api/cluster.ts';
import { decideLoad } from './decide-load.ts';

const allocatable = { cpu: '10', memory: '10Gi', pods: '110' };
const load = (pods: number, cpu: string, memory = '1Gi') => ({ requested: { cpu, memory, pods: String(pods) }, limits: {} });
const decide = (before: ReturnType<typeof decideLoad> | undefined, now: ReturnType<typeof load> | undefined, isWritten = false) =>
  decideLoad(before as Cluster['status'], { load: now, allocatable, isWritten });

test('what is seen first is told, with how much of the nodes it is', () => {
  assert.deepEqual(decide(undefined, load(3, '1500m')), {
    requested: { cpu: '1500m', memory: '1Gi', pods: '3' },
    limits: {},
    requestedPercent: { cpu: 15, memory: 10 },
  });
});

test('what cannot be seen any more stays', () => {
  const before = decide(undefined, load(3, '1'));
  assert.deepEqual(decide(before, undefined, true), before);
});

for (const [what, now, isTold] of [
  ['one of few pods', load(9, '1'), true],
  ['one of many pods', load(101, '1'), false],
  ['a tenth of the pods', load(110, '1'), true],
  ['a little CPU', load(100, '1400m'), false],
  ['a twentieth of the CPUs', load(100, '1500m'), true],
  ['a twentieth of the memory', load(100, '1', '1536Mi'), true],
] as const)
  test(`${what} more ${isTold ? 'is told at once' : 'is told with the next write'}`, () => {
    const before = decide(undefined, load(Number(now.requested.pods) < 100 ? 8 : 100, '1'));
    assert.equal(decide(before, now).requested === before.requested, !isTold);
    assert.deepEqual(decide(before, now, true).requested, now.requested);
  });

test('a cluster whose nodes are not known has no share', () => {
  const told = decideLoad(undefined, { load: load(1, '1'), allocatable: undefined, isWritten: false });
  assert.deepEqual(told.requestedPercent, {});
});
