import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { decideStatus, lookAgainMs, type ClusterStatus } from './decide-status.ts';
import type { Answer, Standing } from './standing.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1000);

function cluster(status?: ClusterStatus, mode: 'Direct' | 'Tunnel' | 'Sandbox' = 'Tunnel'): Cluster {
  const metadata = { name: 'east', uid: 'u', generation: 1 };
  return { ...newObject(Cluster, metadata, { connection: { mode } }), ...(status && { status }) };
}

const standing = (answer: Answer, seenSecond: number | undefined, clockAheadMs = 0): Standing => ({
  answer,
  askedAt: 0,
  seenAt: seenSecond === undefined ? undefined : start + seenSecond * 1000,
  clockAheadMs,
  failures: 0,
});

const ready = (seenSecond: number, clockAheadMs = 0) => standing({ kind: 'ready' }, seenSecond, clockAheadMs);
const silent = (seenSecond?: number) => standing({ kind: 'silent', why: 'connection refused' }, seenSecond);
const condition = (status: ClusterStatus, type: string) => findCondition({ status }, type);

test('a cluster that was never asked is unknown, not lost', () => {
  const status = decideStatus(cluster(), {}, at(0));
  assert.match(status.id ?? '', /^c-m-/);
  assert.deepEqual(
    status.conditions?.map(one => `${one.type} ${one.status} ${one.reason}`),
    ['ClockSynced Unknown NotAskedYet', 'Connected Unknown NotAskedYet', 'Ready Unknown NotAskedYet', 'Reconciling True NotAskedYet'],
  );
});

test('a hub that has just started leaves what its predecessor saw', () => {
  const before = decideStatus(cluster(), { standing: ready(0), version: 'v1.36.3' }, at(0));
  assert.deepEqual(decideStatus(cluster(before), {}, at(60)), before);
});

test('a lost cluster is asked again and again; a refused credential needs a person', () => {
  const lost = decideStatus(cluster(), { standing: silent(0) }, at(1));
  assert.deepEqual([condition(lost, 'Reconciling')?.status, condition(lost, 'Stalled')], ['True', undefined]);
  assert.deepEqual(decideStatus(cluster(lost), { standing: silent(0) }, at(60)), lost, 'and is not written again meanwhile');
  assert.deepEqual(decideStatus(cluster(lost), {}, at(60)), lost);
  const refused = decideStatus(cluster(lost), { standing: standing({ kind: 'refused' }, 0) }, at(61));
  assert.deepEqual([condition(refused, 'Reconciling'), condition(refused, 'Stalled')?.reason], [undefined, 'CredentialRefused']);
  const back = decideStatus(cluster(refused), { standing: ready(70) }, at(70));
  assert.deepEqual([condition(back, 'Ready')?.status, condition(back, 'Stalled')], ['True', undefined]);
});

test('two agents with one identity show for as long as both want the tunnel', () => {
  const both = decideStatus(cluster(), { standing: ready(0), hasDuplicateAgent: true }, at(0));
  assert.equal(condition(both, 'DuplicateAgent')?.status, 'True');
  assert.equal(condition(both, 'Ready')?.status, 'True');
  const later = decideStatus(cluster(both), { standing: ready(1), hasDuplicateAgent: true }, at(60));
  assert.deepEqual(condition(later, 'DuplicateAgent'), condition(both, 'DuplicateAgent'));
  const one = decideStatus(cluster(later), { standing: ready(61), hasDuplicateAgent: false }, at(61));
  assert.equal(condition(one, 'DuplicateAgent'), undefined);
});

test('a member that goes on answering has its status written once in five minutes', () => {
  const first = decideStatus(cluster(), { standing: ready(0) }, at(0));
  const later = decideStatus(cluster(first), { standing: ready(290) }, at(290));
  assert.deepEqual(later, first);
  assert.equal(lookAgainMs(cluster(first), first, at(290)), 10_000);
  assert.equal(decideStatus(cluster(first), { standing: ready(299) }, at(300)).lastSeen, '2026-01-01T00:04:59Z');
});

test('a sandbox is heard of less often', () => {
  const first = decideStatus(cluster(undefined, 'Sandbox'), { standing: ready(0) }, at(0));
  assert.equal(decideStatus(cluster(first, 'Sandbox'), { standing: ready(3000) }, at(3000)).lastSeen, first.lastSeen);
});

test('a member that is lost shows when it was last seen, once', () => {
  const fine = decideStatus(cluster(), { standing: ready(0), version: 'v1.36.3' }, at(0));
  const lost = decideStatus(cluster(fine), { standing: silent(20), version: 'v1.36.3' }, at(35));
  assert.equal(lost.lastSeen, '2026-01-01T00:00:20Z');
  assert.equal(lost.version, 'v1.36.3');
  assert.deepEqual(condition(lost, 'Ready'), {
    type: 'Ready',
    status: 'False',
    reason: 'Unreachable',
    message: 'The API server does not answer: connection refused',
    lastTransitionTime: '2026-01-01T00:00:35Z',
    observedGeneration: 1,
  });
  assert.equal(condition(lost, 'ClockSynced')?.status, 'Unknown');
  assert.deepEqual(decideStatus(cluster(lost), { standing: silent(20) }, at(4000)), lost);
  assert.equal(lookAgainMs(cluster(lost), lost, at(40)), undefined);
});

test('a member that returns is seen now', () => {
  const lost = decideStatus(cluster(), { standing: silent(undefined) }, at(0));
  assert.equal(decideStatus(cluster(lost), { standing: ready(5) }, at(5)).lastSeen, '2026-01-01T00:00:05Z');
});

test('a server that is not ready is connected all the same, and says what fails', () => {
  const answer: Answer = { kind: 'unready', failing: ['etcd', 'c', 'b', 'a'] };
  const status = decideStatus(cluster(), { standing: standing(answer, 0) }, at(0));
  assert.equal(condition(status, 'Connected')?.status, 'True');
  assert.equal(condition(status, 'Ready')?.reason, 'NotReady');
  assert.equal(condition(status, 'Ready')?.message, 'The API server says that it is not ready: "a", "b", "c" and 1 more');
});

test('a missing agent is told apart from one that never came', () => {
  const never = decideStatus(cluster(), { standing: standing({ kind: 'no-agent' }, undefined) }, at(0));
  assert.match(condition(never, 'Connected')?.message ?? '', /No agent has connected yet/);
  const fine = decideStatus(cluster(), { standing: ready(0) }, at(0));
  const gone = decideStatus(cluster(fine), { standing: standing({ kind: 'no-agent' }, 0) }, at(1));
  assert.match(condition(gone, 'Connected')?.message ?? '', /^The agent of the cluster is not connected; look on the cluster: kubectl/);
});

test('a clock is off beyond ten seconds and right again within five', () => {
  const clock = (before: ClusterStatus | undefined, aheadMs: number) => {
    const status = decideStatus(cluster(before), { standing: ready(0, aheadMs) }, at(0));
    return [status, condition(status, 'ClockSynced')] as const;
  };
  assert.equal(clock(undefined, -9_000)[1]?.status, 'True');
  const [off, report] = clock(undefined, -90_000);
  assert.equal(report?.message, 'The clock of the cluster is more than a minute behind the clock of the hub');
  assert.equal(condition(off, 'Ready')?.status, 'True');
  assert.equal(clock(off, 7_000)[1]?.status, 'False');
  assert.equal(clock(off, 4_000)[1]?.status, 'True');
});

test('conditions of others are left to them', () => {
  const foreign = { type: 'AgentUpdated', status: 'True', reason: 'A', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
  const status = decideStatus(cluster({ conditions: [foreign] }), { standing: ready(0) }, at(0));
  assert.equal(condition(status, 'AgentUpdated'), undefined);
});

test('where a cluster is: as people say, otherwise as its nodes do', () => {
  const nodeSummary = (regions: string[]) => ({ nodes: { total: 1, ready: 1 }, capacity: {}, allocatable: {}, regions });
  const said = { ...cluster(), metadata: { name: 'east', uid: 'u', labels: { 'topology.kubernetes.io/region': 'mars' } } };
  const regions = (one: Cluster, seen?: string[]) => decideStatus(one, { ...(seen && { nodeSummary: nodeSummary(seen) }) }, at(0)).regions;
  assert.deepEqual(regions(cluster(), ['eu', 'us']), ['eu', 'us']);
  assert.deepEqual(regions(said, ['eu']), ['mars']);
  assert.deepEqual(regions(said, []), ['mars']);
  assert.equal(regions(cluster(), []), undefined);
  assert.deepEqual(regions(cluster({ regions: ['eu'] })), ['eu'], 'what was last seen stays');
});

test('small changes of the load cause no write of their own', () => {
  const load = (cpu: string) => ({ requested: { cpu, memory: '1Gi', pods: '40' }, limits: {} });
  const nodeSummary = { nodes: { total: 1, ready: 1 }, capacity: {}, allocatable: { cpu: '100', memory: '100Gi' }, regions: [] };
  const first = decideStatus(cluster(), { standing: ready(0), nodeSummary, load: load('10') }, at(0));
  const soon = decideStatus(cluster(first), { standing: ready(60), nodeSummary, load: load('11') }, at(60));
  assert.deepEqual(soon, first);
  const later = decideStatus(cluster(first), { standing: ready(300), nodeSummary, load: load('11') }, at(300));
  assert.equal(later.requested?.['cpu'], '11');
});
