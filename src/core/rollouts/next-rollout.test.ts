import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RolloutSpec } from '../../api/rollout.ts';
import { restRollout } from './rest-rollout.ts';
import { SimulatedClusters, type Fate, type SimulatedCluster } from './simulated-clusters.ts';

const breaks: Fate = { becomes: 'failed', afterSeconds: 1 };
const fallsOver: Fate = { becomes: 'unhealthy', afterSeconds: 3 };
const names = ['a1', 'a2', 'b1', 'b2', 'b3', 'c1'];
const waves: RolloutSpec['waves'] = [
  { name: 'a', clusterNames: ['a1', 'a2'] },
  { name: 'b', clusterNames: ['b1', 'b2', 'b3'], maxConcurrency: 2 },
  { name: 'c', remainder: true },
];

function world(spec: RolloutSpec, fates: Record<string, Record<string, Fate>> = {}): SimulatedClusters {
  return new SimulatedClusters(
    names.map((name): SimulatedCluster => ({ name, ...(fates[name] && { fates: fates[name] }) })),
    spec,
  );
}

/** A world in which the first revision is on all clusters. */
function verifiedWorld(spec: RolloutSpec, fates: Record<string, Record<string, Fate>> = {}): SimulatedClusters {
  const clusters = world(spec, fates);
  clusters.run(20);
  assert.equal(clusters.state?.phase, 'Succeeded');
  clusters.revision = 'r2';
  return clusters;
}

const running = (clusters: SimulatedClusters) =>
  Object.entries(clusters.states()).flatMap(([name, state]) => (state === 'Running' ? [name] : []));

test('waves come one after the other, each with as many clusters at a time as it may have', () => {
  const clusters = world({ waves });
  const seen: string[] = [];
  for (let i = 0; i < 12; i++) {
    clusters.step();
    if (running(clusters).length > 0) seen.push(running(clusters).join(' '));
    clusters.act();
    clusters.nowMs += 1000;
  }
  assert.deepEqual(seen, ['a1 a2', 'b1 b2', 'b3', 'c1']);
  assert.deepEqual([clusters.state?.phase, clusters.state?.verified, clusters.state?.updated], ['Succeeded', 'r1', '6/6']);
});

test('the whole plan is there before anything is given', () => {
  const clusters = world({ waves });
  clusters.step();
  assert.deepEqual(clusters.states(), { a1: 'Running', a2: 'Running', b1: 'Pending', b2: 'Pending', b3: 'Pending', c1: 'Pending' });
  assert.equal(clusters.state?.message, 'Wave 1 of 3 (a): 0 of 2 clusters done; waits for a1, a2');
});

test('a cluster keeps what it has until its turn', () => {
  const clusters = verifiedWorld({ waves });
  clusters.step();
  clusters.act();
  assert.deepEqual([clusters.revisionOn('a1'), clusters.revisionOn('b1')], ['r2', 'r1']);
});

test('one failure too many, and the next wave does not start', () => {
  const clusters = verifiedWorld({ waves }, { b2: { r2: breaks } });
  clusters.run(20);
  assert.deepEqual(clusters.states(), { a1: 'Succeeded', a2: 'Succeeded', b1: 'Succeeded', b2: 'Failed', b3: 'Pending', c1: 'Pending' });
  assert.equal(clusters.state?.phase, 'Failed');
  assert.equal(clusters.revisionOn('c1'), 'r1');
  assert.equal(
    clusters.state?.message,
    'Wave 2 of 3 (b): 1 of 3 clusters done; no more start: 1 failed in wave b, 0 may; 1 failed (b2: it broke); stopped: change the spec, or ask for a retry or an undo',
  );
});

test('failures within the budget do not stop it', () => {
  const tolerant = waves!.map(wave => ({ ...wave, maxFailures: '34%' }));
  const clusters = verifiedWorld({ waves: tolerant }, { b2: { r2: breaks } });
  clusters.run(20);
  assert.equal(clusters.state?.phase, 'Succeeded');
  assert.equal(clusters.state?.message, 'Revision r2 is on 5 of 6 clusters; 1 failed (b2: it broke)');
  assert.equal(clusters.states()['b2'], 'Failed');
});

test('the budget of all waves counts besides those of each', () => {
  const tolerant = waves!.map(wave => ({ ...wave, maxFailures: 1 }));
  const clusters = verifiedWorld({ waves: tolerant, maxFailures: 1 }, { a1: { r2: breaks }, b1: { r2: breaks } });
  clusters.run(20);
  assert.equal(clusters.state?.breach?.reason, 'RunFailures');
  assert.equal(clusters.states()['c1'], 'Pending');
});

test('when those that failed are as many as may be unavailable, that is the end', () => {
  const clusters = verifiedWorld(
    { waves: [{ name: 'all', remainder: true, maxFailures: 5 }], maxUnavailable: 2 },
    { a1: { r2: breaks }, b1: { r2: breaks } },
  );
  clusters.run(30);
  assert.equal(clusters.state?.breach?.reason, 'BudgetExhausted');
});

test('after a breach all go back to what was verified, the last wave first', () => {
  const clusters = verifiedWorld({ waves, onFailure: 'Rollback', rollback: { maxConcurrency: 1 } }, { b3: { r2: breaks } });
  const order: string[] = [];
  for (let i = 0; i < 30; i++) {
    clusters.step();
    for (const [name, state] of Object.entries(clusters.states())) if (state === 'RollingBack' && order.at(-1) !== name) order.push(name);
    clusters.act();
    clusters.nowMs += 1000;
  }
  assert.deepEqual(order, ['b3', 'b1', 'b2', 'a1', 'a2']);
  assert.equal(clusters.state?.phase, 'RolledBack');
  for (const name of names) assert.equal(clusters.revisionOn(name), 'r1');
  assert.equal(
    clusters.state?.message,
    'Revision r2 was put back to r1; no more start: 1 failed in wave b, 0 may; change the spec for another try',
  );
});

test('a change back to what was verified is rolled out at once, since all have it', () => {
  const clusters = verifiedWorld({ waves, onFailure: 'Rollback' }, { a1: { r2: breaks } });
  clusters.run(10);
  assert.equal(clusters.state?.phase, 'RolledBack');
  clusters.revision = 'r1';
  clusters.step();
  assert.equal(clusters.state?.phase, 'Succeeded');
});

test('without a verified revision it stops instead, and says so', () => {
  const clusters = world({ waves, onFailure: 'Rollback' }, { a1: { r1: breaks } });
  clusters.run(10);
  assert.equal(clusters.state?.phase, 'Failed');
  assert.match(clusters.state?.message ?? '', /there is no verified revision to go back to/);
});

test('a wave soaks after its last cluster, and what falls over meanwhile fails it', () => {
  const soaking = [{ name: 'a', clusterNames: ['a1', 'a2'], soak: '5s' }, ...waves!.slice(1)];
  const clusters = verifiedWorld({ waves: soaking, onFailure: 'Rollback' }, { a2: { r2: fallsOver } });
  clusters.run(2);
  assert.deepEqual([clusters.state?.phase, clusters.states()['a1']], ['Soaking', 'Soaking']);
  assert.equal(clusters.state?.message, 'Wave 1 of 3 (a): 2 of 2 clusters done; soaks for 5s');
  clusters.run(1);
  assert.deepEqual([clusters.entry('a2')?.state, clusters.state?.phase], ['RollingBack', 'RollingBack']);
  clusters.run(10);
  assert.equal(clusters.state?.phase, 'RolledBack');
  assert.equal(clusters.states()['b1'], 'Aborted');
});

test('time in which it is paused is no time of soaking, and nothing starts', () => {
  const soaking = [{ name: 'a', clusterNames: ['a1', 'a2'], soak: '5s' }, ...waves!.slice(1)];
  const clusters = verifiedWorld({ waves: soaking });
  clusters.run(2);
  clusters.spec = { ...clusters.spec, paused: true };
  clusters.run(60);
  assert.equal(clusters.state?.phase, 'Paused');
  assert.equal(clusters.states()['b1'], 'Pending');
  clusters.spec = { ...clusters.spec, paused: false };
  clusters.run(3);
  assert.equal(clusters.states()['b1'], 'Pending');
  clusters.run(20);
  assert.equal(clusters.state?.phase, 'Succeeded');
});

test('a cluster that is away does not hold the others up, and catches up when it returns', () => {
  const clusters = verifiedWorld({ waves });
  clusters.clusters[0]!.readiness = 'away';
  clusters.run(20);
  assert.deepEqual([clusters.state?.phase, clusters.states()['a1'], clusters.revisionOn('a1')], ['Succeeded', 'Deferred', 'r1']);
  assert.match(clusters.state?.message ?? '', /1 deferred \(a1: not ready\)/);
  clusters.clusters[0]!.readiness = 'ready';
  clusters.run(5);
  assert.deepEqual([clusters.states()['a1'], clusters.revisionOn('a1')], ['Succeeded', 'r2']);
});

test('a cluster that is held stays as it is until it is let go', () => {
  const clusters = verifiedWorld({ waves });
  clusters.clusters[2]!.isHeld = true;
  clusters.run(20);
  assert.deepEqual([clusters.states()['b1'], clusters.revisionOn('b1')], ['Deferred', 'r1']);
  clusters.clusters[2]!.isHeld = false;
  clusters.run(5);
  assert.equal(clusters.revisionOn('b1'), 'r2');
});

test('a cluster that goes away in the middle is not waited for', () => {
  const clusters = verifiedWorld({ waves }, { a1: { r2: { becomes: 'done', afterSeconds: 100 } } });
  clusters.run(2);
  clusters.clusters[0]!.readiness = 'away';
  clusters.run(20);
  assert.deepEqual([clusters.state?.phase, clusters.states()['a1']], ['Succeeded', 'Deferred']);
  clusters.clusters[0]!.readiness = 'ready';
  clusters.run(100);
  assert.equal(clusters.states()['a1'], 'Succeeded');
});

test('clusters that are not there yet are waited for until the first of a wave is', () => {
  const clusters = world({ waves });
  for (const one of clusters.clusters) one.readiness = 'coming';
  clusters.run(5);
  assert.equal(clusters.state?.wave, 'a');
  for (const one of clusters.clusters) one.readiness = 'ready';
  clusters.run(10);
  assert.equal(clusters.state?.phase, 'Succeeded');
});

test('a cluster that is removed is left out', () => {
  const clusters = verifiedWorld({ waves });
  clusters.step();
  clusters.clusters.splice(3, 1);
  clusters.run(10);
  assert.deepEqual([clusters.state?.phase, clusters.entry('b2')?.reason], ['Succeeded', 'ClusterRemoved']);
});

test('who comes in the middle gets what is verified at once, and the new revision with its wave', () => {
  const clusters = verifiedWorld({ waves }, { a1: { r2: { becomes: 'done', afterSeconds: 5 } } });
  clusters.run(1);
  clusters.clusters.push({ name: 'late' });
  clusters.run(1);
  assert.equal(clusters.revisionOn('late'), 'r1');
  clusters.run(15);
  assert.deepEqual([clusters.states()['late'], clusters.revisionOn('late')], ['Succeeded', 'r2']);

  clusters.clusters.push({ name: 'later' });
  clusters.run(1);
  assert.equal(clusters.revisionOn('later'), 'r2');
});

test('who comes in the middle and is ignored gets the new revision when it is verified', () => {
  const clusters = verifiedWorld({ waves, latecomers: 'Ignore' });
  clusters.run(1);
  clusters.clusters.push({ name: 'late' });
  clusters.run(1);
  assert.deepEqual([clusters.states()['late'], clusters.revisionOn('late')], [undefined, 'r1']);
  clusters.run(15);
  assert.equal(clusters.revisionOn('late'), 'r2');
});

test('what does not get ready in time has timed out', () => {
  const clusters = verifiedWorld(
    { waves: [{ name: 'all', remainder: true, progressDeadline: '10s' }] },
    { c1: { r2: { becomes: 'done', afterSeconds: 1000 } } },
  );
  clusters.run(9);
  assert.equal(clusters.states()['c1'], 'Running');
  clusters.run(3);
  assert.deepEqual([clusters.states()['c1'], clusters.state?.phase], ['TimedOut', 'Failed']);
});

test('who rests is not late', () => {
  const clusters = verifiedWorld(
    { waves: [{ name: 'all', remainder: true, progressDeadline: '10s' }] },
    { c1: { r2: { becomes: 'done', afterSeconds: 1000 } } },
  );
  clusters.run(5);
  clusters.state = restRollout(clusters.state!);
  assert.equal(restRollout(clusters.state).message, clusters.state.message, 'it is said once');
  clusters.nowMs += 60_000;
  clusters.run(9);
  assert.equal(clusters.states()['c1'], 'Running');
  clusters.run(3);
  assert.equal(clusters.states()['c1'], 'TimedOut');
});

test('starts keep their distance', () => {
  const clusters = verifiedWorld({});
  clusters.spec = { stagger: '5s' };
  clusters.run(4);
  assert.deepEqual(Object.values(clusters.states()).filter(state => state !== 'Pending').length, 1);
  assert.equal(clusters.last?.wakeAt?.getTime(), Date.parse(clusters.state!.lastStart!) + 5000);
  clusters.run(30);
  assert.equal(clusters.state?.phase, 'Succeeded');
});

test('an abort leaves everything as it is, and an undo puts it back', () => {
  const clusters = verifiedWorld({ waves }, { b1: { r2: { becomes: 'done', afterSeconds: 50 } } });
  clusters.run(2);
  clusters.request = 'abort r2 now';
  clusters.run(20);
  assert.deepEqual(clusters.states(), { a1: 'Succeeded', a2: 'Succeeded', b1: 'Aborted', b2: 'Succeeded', b3: 'Aborted', c1: 'Aborted' });
  assert.deepEqual([clusters.revisionOn('b1'), clusters.revisionOn('c1')], ['r2', 'r1']);
  clusters.request = 'undo r2 now';
  clusters.run(20);
  assert.equal(clusters.state?.phase, 'RolledBack');
  for (const name of names) assert.equal(clusters.revisionOn(name), 'r1');
});

test('a rollout that succeeded can be undone, to what was verified before', () => {
  const clusters = verifiedWorld({ waves });
  clusters.run(20);
  clusters.request = 'undo';
  clusters.run(20);
  assert.deepEqual([clusters.state?.phase, clusters.state?.verified], ['RolledBack', 'r1']);
  for (const name of names) assert.equal(clusters.revisionOn(name), 'r1');
});

test('a request is done once, and one for another revision not at all', () => {
  const clusters = verifiedWorld({ waves });
  clusters.request = 'abort r1';
  clusters.run(1);
  assert.equal(clusters.state?.phase, 'Progressing');
  assert.ok(!clusters.last?.events.some(one => one.reason === 'RequestIgnored'));
  clusters.request = 'abort r2';
  clusters.run(1);
  assert.equal(clusters.state?.phase, 'Aborted');
  clusters.request = 'retry r2';
  clusters.run(20);
  assert.equal(clusters.state?.phase, 'Succeeded');
  clusters.revision = 'r3';
  clusters.run(20);
  assert.equal(clusters.state?.phase, 'Succeeded');
});

test('what recovers does not start a rollout again that was stopped, but a retry does', () => {
  const fates: Record<string, Fate> = { r2: breaks };
  const clusters = verifiedWorld({ waves }, { a1: fates });
  clusters.run(10);
  fates['r2'] = { becomes: 'done', afterSeconds: 0 };
  clusters.run(10);
  assert.deepEqual([clusters.state?.phase, clusters.states()['a1'], clusters.states()['b1']], ['Failed', 'Succeeded', 'Pending']);
  clusters.request = 'retry 1';
  clusters.run(1);
  assert.equal(clusters.state?.phase, 'Failed');
  clusters.request = 'retry r2 1';
  clusters.run(20);
  assert.equal(clusters.state?.phase, 'Succeeded');
});

test('clusters that no wave selects stay as they are, or stop everything', () => {
  const only = [{ name: 'a', clusterNames: ['a1', 'a2'] }];
  const skipping = verifiedWorld({ waves });
  skipping.spec = { waves: only, unassigned: 'Skip' };
  skipping.run(20);
  assert.deepEqual([skipping.state?.phase, skipping.revisionOn('a1'), skipping.revisionOn('c1')], ['Succeeded', 'r2', 'r1']);
  const failing = verifiedWorld({ waves });
  failing.spec = { waves: only, unassigned: 'Fail' };
  failing.run(5);
  assert.deepEqual([failing.state?.phase, failing.revisionOn('a1')], ['Failed', 'r1']);
});

test('a change in the middle begins anew, from wherever each cluster is', () => {
  const clusters = verifiedWorld({ waves });
  clusters.run(1);
  clusters.revision = 'r3';
  clusters.step();
  clusters.act();
  assert.deepEqual([clusters.revisionOn('a1'), clusters.revisionOn('c1')], ['r3', 'r1']);
  clusters.run(20);
  assert.deepEqual([clusters.state?.verified, clusters.state?.previous], ['r3', 'r1']);
});
