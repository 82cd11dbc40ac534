import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateAnswer } from '../gates/gate-desk.ts';
import { isMemberStep } from './run-plan.ts';
import { SimulatedFleet, type Fate, type SimulatedMember } from './simulated-fleet.ts';

const members = (count: number): SimulatedMember[] => Array.from({ length: count }, (_, i) => ({ id: `c${i}` }));
const done: Fate = { status: 'Succeeded', afterSeconds: 1 };
const broken: Fate = { status: 'Failed', afterSeconds: 1 };
const failsOn =
  (...ids: string[]) =>
  (id: string, grant: { isRollback?: boolean | undefined }): Fate =>
    ids.includes(id) && grant.isRollback !== true ? broken : done;

const deedsOf = (fleet: SimulatedFleet) => fleet.deeds.map(({ cluster, grant }) => `${cluster} ${grant.type}`);
const stepsOf = (fleet: SimulatedFleet) => (fleet.status?.steps ?? []).map(({ name, status, wave }) => `${wave ?? '-'} ${name} ${status}`);
const told = (fleet: SimulatedFleet, event: string) => fleet.happenings.filter(one => one.event === event);
const gate = (name: string, more: object = {}) => ({ name, type: 'Approval', ...more });
const answer = (phase: GateAnswer['phase'], more: Partial<GateAnswer> = {}): GateAnswer => ({ phase, state: {}, ...more });

test('a rolling run without waves goes to all clusters at once', () => {
  const fleet = new SimulatedFleet(members(3));
  fleet.reconcile();
  fleet.tick();
  assert.deepEqual(deedsOf(fleet), ['c0 RollingDeploy', 'c1 RollingDeploy', 'c2 RollingDeploy']);
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.deepEqual(fleet.states(), { c0: 'Succeeded', c1: 'Succeeded', c2: 'Succeeded' });
  assert.deepEqual(stepsOf(fleet), ['- Resolve Clusters Succeeded', 'all Rollout Deployment Succeeded']);
  assert.deepEqual(fleet.status?.clusters, { total: 3, succeeded: 3 });
  assert.equal(told(fleet, 'RunSucceeded').length, 1);
});

test('a canary run says in its primary phase that clusters are resolved already', () => {
  const fleet = new SimulatedFleet(members(2), { type: 'Canary' });
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.deepEqual(stepsOf(fleet), [
    '- Resolve Clusters Succeeded',
    'all Canary Deployment Succeeded',
    'all Delete Succeeded',
    'all Resolve Clusters Skipped',
    'all Rollout Deployment Succeeded',
  ]);
  assert.deepEqual(fleet.lines, ['Eligible: c0 c1', 'Cluster Resolution is already done. Filtered clusters list: [C0, C1]. Skipping.']);
});

test('the log names the clusters that were resolved, also when whoever resolved them died and others are there by then', () => {
  const deaths = Array.from({ length: 6 }, (_, writes) => {
    const fleet = new SimulatedFleet(members(2));
    const isAlive = fleet.reconcile(writes);
    fleet.members.push({ id: 'c9' });
    fleet.run();
    assert.deepEqual(fleet.lines, [`Eligible: ${fleet.status?.resolvedClusters?.map(one => one.id).join(' ')}`], `${writes} writes`);
    return { isAlive, count: fleet.status?.resolvedClusters?.length };
  });
  assert.ok(deaths.some(({ count }) => count === 3) && deaths.some(({ isAlive, count }) => !isAlive && count === 2));
});

test('waves go one after the other, each with so many clusters at a time', () => {
  const waves = [
    { name: 'first', count: 1 },
    { name: 'rest', remainder: true, maxConcurrency: 2 },
  ];
  const fleet = new SimulatedFleet(members(5), { rollout: { waves } });
  let most = 0;
  fleet.check = () => (most = Math.max(most, fleet.inFlight().length));
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.equal(most, 2);
  const seconds = Object.fromEntries(fleet.deeds.map(one => [one.cluster, one.atSecond]));
  assert.ok(['c1', 'c2', 'c3', 'c4'].every(id => seconds[id]! > seconds['c0']!));
  assert.deepEqual(
    fleet.status?.waves?.map(one => [one.name, one.phase, one.clusters.length]),
    [
      ['first', 'Succeeded', 1],
      ['rest', 'Succeeded', 4],
    ],
  );
});

test('with PerPhase a phase crosses all waves before the next begins', () => {
  const waves = [
    { name: 'first', count: 1 },
    { name: 'rest', remainder: true },
  ];
  const fleet = new SimulatedFleet(members(2), { type: 'Canary', rollout: { scope: 'PerPhase', waves } });
  fleet.run();
  assert.deepEqual(deedsOf(fleet), [
    'c0 CanaryDeploy',
    'c0 Delete',
    'c1 CanaryDeploy',
    'c1 Delete',
    'c0 RollingDeploy',
    'c1 RollingDeploy',
  ]);
  assert.equal(fleet.status?.phase, 'Succeeded');
});

test('a failure rolls back everything that was changed, the last wave first', () => {
  const waves = [
    { name: 'first', count: 1 },
    { name: 'second', count: 1 },
    { name: 'rest', remainder: true },
  ];
  const fleet = new SimulatedFleet(members(3), { rollout: { waves } });
  fleet.fateOf = failsOn('c1');
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.deepEqual(deedsOf(fleet), ['c0 RollingDeploy', 'c1 RollingDeploy', 'c1 RollingRollback', 'c0 RollingRollback']);
  assert.deepEqual(fleet.states(), { c0: 'RolledBack', c1: 'RolledBack', c2: 'Pending' });
  assert.equal(fleet.status?.reason, 'WaveFailures');
  assert.equal(told(fleet, 'ClusterFailed').length, 1);
  assert.equal(told(fleet, 'RunRolledBack').length, 1);
});

test('a wave goes on within its failure budget, and the next one too', () => {
  const waves = [
    { name: 'first', count: 2, maxFailures: 1 },
    { name: 'rest', remainder: true },
  ];
  const fleet = new SimulatedFleet(members(4), { rollout: { waves } });
  fleet.fateOf = failsOn('c1');
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.deepEqual(fleet.states(), { c0: 'Succeeded', c1: 'Failed', c2: 'Succeeded', c3: 'Succeeded' });
});

test('the budget of the run counts over all waves', () => {
  const waves = [
    { name: 'first', count: 2, maxFailures: 1 },
    { name: 'rest', remainder: true, maxFailures: 1 },
  ];
  const fleet = new SimulatedFleet(members(4), { rollout: { waves, maxFailures: 1 } });
  fleet.fateOf = failsOn('c1', 'c3');
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.equal(fleet.status?.reason, 'RunFailures');
});

test('when failed clusters alone use up what may be unavailable, that is a breach', () => {
  const waves = [{ name: 'all', remainder: true, maxFailures: 2, maxConcurrency: 1 }];
  const fleet = new SimulatedFleet(members(4), { rollout: { waves, maxUnavailable: 1 } });
  fleet.fateOf = failsOn('c0');
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.equal(fleet.status?.reason, 'BudgetExhausted');
});

const strategies = (action: string, more: object = {}) => ({ failureStrategies: [{ action, ...more }] });
const twoWaves = {
  waves: [
    { name: 'first', count: 1 },
    { name: 'rest', remainder: true },
  ],
};

test('Retry tries the failed clusters alone again, then does what comes then', () => {
  const fleet = new SimulatedFleet(members(2), strategies('Retry', { retry: { count: 2, intervals: ['5s'], then: 'Abort' } }));
  fleet.fateOf = (id, { attempt }) => (id === 'c1' && attempt < 3 ? broken : done);
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.deepEqual(deedsOf(fleet), ['c0 RollingDeploy', 'c1 RollingDeploy', 'c1 RollingDeploy', 'c1 RollingDeploy']);
  const [, first, second] = fleet.deeds.filter(one => one.cluster === 'c1' || one.grant.attempt === 1);
  assert.ok(second!.atSecond - first!.atSecond >= 5);

  const stubborn = new SimulatedFleet(members(2), strategies('Retry', { retry: { count: 2, then: 'Abort' } }));
  stubborn.fateOf = failsOn('c1');
  stubborn.run();
  assert.equal(stubborn.status?.phase, 'Aborted');
  assert.equal(stubborn.deeds.length, 4);
});

test('Ignore counts the step as done', () => {
  const fleet = new SimulatedFleet(members(2), strategies('Ignore'));
  fleet.fateOf = failsOn('c1');
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.deepEqual(fleet.states(), { c0: 'Succeeded', c1: 'Succeeded' });
});

test('EndExecution puts back and fails, Abort leaves everything as it is', () => {
  const ended = new SimulatedFleet(members(2), strategies('EndExecution'));
  ended.fateOf = failsOn('c1');
  ended.run();
  assert.equal(ended.status?.phase, 'Failed');
  assert.deepEqual(ended.states(), { c0: 'RolledBack', c1: 'RolledBack' });

  const aborted = new SimulatedFleet(members(2), strategies('Abort'));
  aborted.fateOf = failsOn('c1');
  aborted.run();
  assert.equal(aborted.status?.phase, 'Aborted');
  assert.deepEqual(aborted.states(), { c0: 'Succeeded', c1: 'Failed' });
});

test('RollbackWave puts back the wave alone, RollbackPhase the phase alone', () => {
  const wave = new SimulatedFleet(members(3), { ...strategies('RollbackWave'), rollout: twoWaves });
  wave.fateOf = failsOn('c2');
  wave.run();
  assert.equal(wave.status?.phase, 'Failed');
  assert.deepEqual(wave.states(), { c0: 'Succeeded', c1: 'RolledBack', c2: 'RolledBack' });

  const phase = new SimulatedFleet(members(1), { type: 'Canary', ...strategies('RollbackPhase') });
  phase.fateOf = (_, grant) => (grant.type === 'RollingDeploy' ? broken : done);
  phase.run();
  assert.equal(phase.status?.phase, 'Failed');
  assert.deepEqual(deedsOf(phase), ['c0 CanaryDeploy', 'c0 Delete', 'c0 RollingDeploy', 'c0 RollingRollback']);
});

test('RollbackCluster puts back one cluster and goes on within the budget', () => {
  const waves = [{ name: 'all', remainder: true, maxFailures: 1 }];
  const fleet = new SimulatedFleet(members(3), { type: 'Canary', ...strategies('RollbackCluster'), rollout: { waves } });
  fleet.fateOf = failsOn('c1');
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.deepEqual(fleet.states(), { c0: 'Succeeded', c1: 'RolledBack', c2: 'Succeeded' });
  assert.equal(deedsOf(fleet).filter(one => one === 'c1 Delete').length, 1);
});

test('Pause waits for somebody, and tries again what had failed', () => {
  const fleet = new SimulatedFleet(members(2), strategies('Pause'));
  let isMended = false;
  fleet.fateOf = (id, grant) => (isMended ? done : failsOn('c1')(id, grant));
  fleet.run(20);
  assert.equal(fleet.status?.phase, 'Paused');
  assert.equal(fleet.state, 'Pause');
  isMended = true;
  fleet.want('Run');
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
});

test('ManualIntervention does what is chosen', () => {
  const ends: Record<string, string> = {
    Retry: 'Succeeded',
    Ignore: 'Succeeded',
    MarkSuccess: 'Succeeded',
    Rollback: 'RolledBack',
    Abort: 'Aborted',
  };
  for (const [choice, phase] of Object.entries(ends)) {
    const fleet = new SimulatedFleet(members(2), strategies('ManualIntervention'));
    fleet.fateOf = (id, grant) => (grant.attempt === 1 ? failsOn('c1')(id, grant) : done);
    fleet.answerOf = (_, second) =>
      second < 10 ? answer('Running', { approvalRequest: 'a' }) : answer('Successful', { outputs: { choice } });
    fleet.run(5);
    assert.equal(fleet.status?.phase, 'Waiting', choice);
    fleet.run();
    assert.equal(fleet.status?.phase, phase, choice);
  }
});

test('ManualIntervention of a gate: Retry asks it anew, and each gate is decided for itself', () => {
  const waves = [{ name: 'all', remainder: true, before: [gate('one', { type: 'HTTP' }), gate('two', { type: 'HTTP' })] }];
  const fleet = new SimulatedFleet(members(1), { rollout: { waves }, ...strategies('ManualIntervention') });
  const choices: Record<string, string> = {};
  const failures = new Set<string>();
  fleet.answerOf = ({ place, gate: { name, type } }) => {
    if (type === 'Approval') return answer('Successful', { outputs: { choice: (choices[place] ??= 'Retry') } });
    if (failures.has(name)) return answer('Successful');
    failures.add(name);
    return answer('Failed', { failureType: 'Verification' });
  };
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.equal(Object.keys(choices).length, 2);
});

test('nobody decides in time: then what the strategy says', () => {
  const fleet = new SimulatedFleet(members(1), strategies('ManualIntervention', { manual: { timeout: '1h', then: 'Abort' } }));
  fleet.fateOf = failsOn('c0');
  fleet.answerOf = () => answer('Failed', { failureType: 'Timeout' });
  fleet.run();
  assert.equal(fleet.status?.phase, 'Aborted');
});

test('the first strategy that is about the failure counts, that of the step before that of the workflow', () => {
  const step = { name: 'deploy', type: 'RollingDeploy', failureStrategies: [{ failureTypes: ['Timeout'], action: 'Ignore' }] };
  const phases = [{ name: 'p', groups: [{ name: 'g', steps: [{ type: 'ResolveClusters' }, step] }], rollback: [] }];
  const of = (failureType: string) => {
    const fleet = new SimulatedFleet(members(1), { type: 'Custom', phases, ...strategies('Abort') });
    fleet.fateOf = () => ({ ...broken, failureType });
    fleet.run();
    return fleet.status?.phase;
  };
  assert.equal(of('Timeout'), 'Succeeded');
  assert.equal(of('ApplicationError'), 'Aborted');
});

test('nothing of a wave starts before its gates are passed, and the next wave waits for those behind it', () => {
  const waves = [
    { name: 'first', count: 1, before: [gate('ready?')], after: [gate('good?')] },
    { name: 'rest', remainder: true },
  ];
  const fleet = new SimulatedFleet(members(2), { rollout: { waves } });
  fleet.answerOf = ({ gate: { name } }, second) => answer(second >= (name === 'ready?' ? 5 : 20) ? 'Successful' : 'Running');
  fleet.run(3);
  assert.equal(fleet.status?.phase, 'Waiting');
  assert.equal(fleet.deeds.length, 0);
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.ok(fleet.deeds[0]!.atSecond >= 5);
  assert.ok(fleet.deeds[1]!.atSecond >= 20);
});

test('a gate that fails does what it says: fail, pause, roll back', () => {
  const of = (onFailure: string | undefined, more: Partial<GateAnswer> = {}) => {
    const waves = [{ name: 'all', remainder: true, after: [gate('good?', onFailure === undefined ? {} : { onFailure })] }];
    const fleet = new SimulatedFleet(members(1), { rollout: { waves }, ...strategies('Abort') });
    fleet.answerOf = () => answer('Failed', { failureType: 'Verification', message: 'no', ...more });
    fleet.run(20);
    return more.isUnresolved === true ? fleet.status?.reason : fleet.status?.phase;
  };
  assert.equal(of(undefined), 'Aborted');
  assert.equal(of('Fail', { isUnresolved: true }), 'UnresolvedExpression');
  assert.equal(of('Fail'), 'Aborted');
  assert.equal(of('Pause'), 'Paused');
  assert.equal(of('Rollback'), 'RolledBack');
  assert.equal(of('Fail', { mustRollBack: true }), 'RolledBack');
});

test('RejectAndRollback of a step rolls back whatever the failure strategy says', () => {
  const phases = [
    {
      name: 'p',
      groups: [{ name: 'g', steps: [{ type: 'ResolveClusters' }, { type: 'RollingDeploy' }, { name: 'ok?', type: 'Approval' }] }],
      rollback: [{ name: 'g', steps: [{ type: 'RollingRollback' }] }],
    },
  ];
  const fleet = new SimulatedFleet(members(1), { type: 'Custom', phases, ...strategies('Ignore') });
  fleet.answerOf = () => answer('Failed', { failureType: 'ApprovalRejected', mustRollBack: true });
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.deepEqual(fleet.states(), { c0: 'RolledBack' });
});

test('a step that waits for somebody when the run is rolled back waits no more', () => {
  const phases = [
    {
      name: 'p',
      groups: [{ name: 'g', steps: [{ type: 'ResolveClusters' }, { type: 'RollingDeploy' }, { name: 'ok?', type: 'Approval' }] }],
      rollback: [{ name: 'g', steps: [{ type: 'RollingRollback' }] }],
    },
  ];
  const fleet = new SimulatedFleet(members(1), { type: 'Custom', phases });
  fleet.answerOf = () => answer('Running');
  fleet.run(30);
  assert.equal(fleet.status?.phase, 'Waiting');
  fleet.state = 'Rollback';
  fleet.run(30);
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.equal(fleet.status?.steps?.find(one => one.name === 'ok?')?.status, 'Aborted');
});

test('a run that people stop before it changed anything is Rejected, or Expired when nobody decided in time', () => {
  const end = (failureType: 'ApprovalRejected' | 'Timeout' | 'Verification', waves: object[]) => {
    const fleet = new SimulatedFleet(members(2), { rollout: { waves } });
    fleet.answerOf = () => answer('Failed', { failureType });
    fleet.run();
    return fleet.status?.phase;
  };
  const before = [{ name: 'all', remainder: true, before: [gate('ready?')] }];
  assert.equal(end('ApprovalRejected', before), 'Rejected');
  assert.equal(end('Timeout', before), 'Expired');
  assert.equal(end('Verification', before), 'Failed');
  const waited = [{ name: 'all', remainder: true, before: [gate('open?', { type: 'Window' })] }];
  assert.equal(end('Timeout', waited), 'Failed');
  // What was changed is put back, and the run has failed.
  const after = [{ name: 'all', remainder: true, after: [gate('well?')] }];
  assert.equal(end('ApprovalRejected', after), 'Failed');
  const phases = [{ name: 'p', groups: [{ name: 'g', steps: [{ type: 'ResolveClusters' }, { name: 'ok?', type: 'Approval' }] }] }];
  const fleet = new SimulatedFleet(members(1), { type: 'Custom', phases });
  fleet.answerOf = () => answer('Failed', { failureType: 'Timeout', message: 'Timed out' });
  fleet.run();
  assert.deepEqual([fleet.status?.phase, fleet.status?.reason, fleet.status?.message], ['Expired', 'ApprovalExpired', 'Timed out']);
});

test('a strategy puts back as much as its scope says', () => {
  const waves = [
    { name: 'first', count: 1 },
    { name: 'rest', remainder: true },
  ];
  const back = (scope: string) => {
    const failureStrategies = [{ action: 'Retry', scope, retry: { count: 1, then: 'RollbackWorkflow' } }];
    const fleet = new SimulatedFleet(members(3), { rollout: { waves }, failureStrategies });
    fleet.fateOf = failsOn('c2');
    fleet.run();
    return fleet.deeds
      .filter(({ grant }) => grant.isRollback === true)
      .map(({ cluster }) => cluster)
      .sort();
  };
  assert.deepEqual(back('Workflow'), ['c0', 'c1', 'c2']);
  assert.deepEqual(back('Wave'), ['c1', 'c2']);
  assert.deepEqual(back('Cluster'), ['c2']);
});

test('a Job is done on clusters unless it is for the hub, whatever YAML makes of the word', () => {
  const job = (settings: object) => isMemberStep({ name: 'j', type: 'Job', with: settings as never });
  assert.deepEqual([{}, { runOn: 'EachCluster' }, { runOn: 'Hub' }, { on: 'Hub' }, { true: 'Hub' }].map(job), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('a gate that is bypassed is not asked', () => {
  const waves = [{ name: 'all', remainder: true, before: [gate('ready?')] }];
  const fleet = new SimulatedFleet(members(1), { rollout: { waves } });
  fleet.skipGates = ['ready?'];
  fleet.answerOf = () => answer('Failed');
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.equal(fleet.asked.length, 0);
});

test('pause lets clusters finish their step and starts nothing; run goes on', () => {
  const fleet = new SimulatedFleet(members(3), { rollout: { waves: [{ name: 'all', remainder: true, maxConcurrency: 1 }] } });
  fleet.fateOf = () => ({ status: 'Succeeded', afterSeconds: 3 });
  fleet.run(1);
  fleet.want('Pause');
  fleet.run(20);
  assert.equal(fleet.status?.phase, 'Paused');
  assert.deepEqual(fleet.states(), { c0: 'Succeeded', c1: 'Pending', c2: 'Pending' });
  fleet.want('Run');
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
});

test('abort cuts short what is under way and undoes nothing; rollback still can', () => {
  const fleet = new SimulatedFleet(members(2), { rollout: twoWaves });
  fleet.fateOf = (id, grant) => ({ status: 'Succeeded', afterSeconds: id === 'c1' && grant.isRollback !== true ? 100 : 1 });
  fleet.run(5);
  fleet.want('Abort');
  fleet.run(5);
  assert.equal(fleet.status?.phase, 'Aborted');
  assert.deepEqual(fleet.states(), { c0: 'Succeeded', c1: 'Aborted' });
  fleet.want('Rollback');
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.deepEqual(fleet.states(), { c0: 'RolledBack', c1: 'RolledBack' });
});

test('a run that succeeded is rolled back as long as it is the newest', () => {
  const fleet = new SimulatedFleet(members(2));
  fleet.run();
  fleet.isNewest = false;
  fleet.want('Rollback');
  fleet.run(5);
  assert.equal(fleet.status?.phase, 'Succeeded');
  fleet.isNewest = true;
  fleet.reconcile();
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.deepEqual(fleet.states(), { c0: 'RolledBack', c1: 'RolledBack' });
});

test('rollback is possible while it is paused, waiting or running', () => {
  const waves = [
    { name: 'first', count: 1, after: [gate('good?')] },
    { name: 'rest', remainder: true },
  ];
  for (const state of ['Pause', 'Run'] as const) {
    const fleet = new SimulatedFleet(members(2), { rollout: { waves } });
    fleet.answerOf = () => answer('Running');
    fleet.want(state);
    fleet.state = 'Run';
    fleet.run(5);
    if (state === 'Pause') fleet.want('Pause');
    fleet.run(5);
    assert.equal(fleet.status?.phase, state === 'Pause' ? 'Paused' : 'Waiting');
    fleet.want('Rollback');
    fleet.run();
    assert.equal(fleet.status?.phase, 'RolledBack');
    assert.deepEqual(fleet.states(), { c0: 'RolledBack', c1: 'Pending' });
  }
});

test('a rollback that fails somewhere goes on elsewhere and can be asked for again', () => {
  const fleet = new SimulatedFleet(members(3));
  let isMended = false;
  fleet.fateOf = (id, grant) => {
    if (grant.isRollback === true) return id === 'c1' && !isMended ? broken : done;
    return id === 'c2' ? broken : done;
  };
  fleet.run();
  assert.equal(fleet.status?.phase, 'RollbackFailed');
  assert.match(fleet.status?.message ?? '', /C1/);
  assert.deepEqual(fleet.states(), { c0: 'RolledBack', c1: 'RollbackFailed', c2: 'RolledBack' });
  isMended = true;
  fleet.want('Rollback');
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
});

test('an offline cluster is deferred and catches up when it returns, as long as the run is the newest', () => {
  const fleet = new SimulatedFleet(members(2), { type: 'Canary' });
  fleet.member('c1').isReady = false;
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.deepEqual(fleet.states(), { c0: 'Succeeded', c1: 'Deferred' });
  assert.equal(fleet.status?.clusters?.deferred, 1);
  fleet.member('c1').isReady = true;
  for (let i = 0; i < 20; i++) {
    fleet.reconcile();
    fleet.tick();
  }
  assert.equal(fleet.stateOf('c1'), 'Succeeded');
  assert.deepEqual(
    deedsOf(fleet).filter(one => one.startsWith('c1')),
    ['c1 CanaryDeploy', 'c1 Delete', 'c1 RollingDeploy'],
  );
  assert.equal(told(fleet, 'ClusterCaughtUp').length, 1);
});

test('clusters that are not ready fail or are skipped where the infrastructure says so', () => {
  for (const [unavailableClusters, phase, state] of [
    ['Fail', 'Failed', 'Failed'],
    ['Skip', 'Succeeded', 'Skipped'],
  ]) {
    const fleet = new SimulatedFleet(members(2), {}, { unavailableClusters });
    fleet.member('c1').isReady = false;
    fleet.run();
    assert.equal(fleet.status?.phase, phase);
    assert.equal(fleet.stateOf('c1'), state);
  }
});

test('a cluster that goes, is not meant any more, or is cordoned before its turn, is skipped', () => {
  const fleet = new SimulatedFleet(members(4), { rollout: { waves: [{ name: 'all', remainder: true, maxConcurrency: 1 }] } });
  fleet.reconcile();
  fleet.member('c0').isGone = true;
  fleet.member('c1').isMeant = false;
  fleet.member('c2').isKeptAway = true;
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.deepEqual(fleet.states(), { c0: 'Skipped', c1: 'Skipped', c2: 'Skipped', c3: 'Succeeded' });
  assert.equal(fleet.parts.get('c2')?.spec.standing?.reason, 'ClusterCordoned');
});

test('a cluster between two steps is aborted with the run, and is not pending any more', () => {
  const steps = [{ type: 'ResolveClusters' }, { name: 'one', type: 'RollingDeploy' }, { name: 'two', type: 'RollingDeploy' }];
  const fleet = new SimulatedFleet(members(2), { type: 'Custom', phases: [{ name: 'p', groups: [{ name: 'g', steps }], rollback: [] }] });
  fleet.fateOf = id => ({ status: 'Succeeded', afterSeconds: id === 'c1' ? 100 : 1 });
  fleet.run(5);
  assert.deepEqual(fleet.states(), { c0: 'Pending', c1: 'Running' });
  fleet.want('Abort');
  fleet.run(5);
  assert.deepEqual(fleet.states(), { c0: 'Aborted', c1: 'Aborted' });
  assert.deepEqual(fleet.status?.clusters, { total: 2, aborted: 2 });
});

test('a rollback names the clusters that it left out because they are held', () => {
  const fleet = new SimulatedFleet(members(2));
  fleet.run();
  fleet.member('c0').isHeld = true;
  fleet.want('Rollback');
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.deepEqual(fleet.states(), { c0: 'Succeeded', c1: 'RolledBack' });
  assert.match(fleet.status?.message ?? '', /not put back, because they are held: C0$/);
});

test('a held cluster is deferred until it is let go', () => {
  const fleet = new SimulatedFleet(members(2));
  fleet.member('c0').isHeld = true;
  fleet.run();
  assert.deepEqual(fleet.states(), { c0: 'Deferred', c1: 'Succeeded' });
});

test('a cluster that falls ill while its wave soaks fails the wave; the soak stands still while it is paused', () => {
  const waves = [{ name: 'all', remainder: true, soak: '30s' }];
  const ill = new SimulatedFleet(members(2), { rollout: { waves } });
  ill.run(10);
  assert.equal(ill.status?.waves?.[0]?.phase, 'Soaking');
  ill.member('c1').illSince = ill.now;
  ill.run();
  assert.equal(ill.status?.phase, 'RolledBack');
  assert.ok(ill.second < 40);

  const calm = new SimulatedFleet(members(1), { rollout: { waves } });
  calm.run(10);
  calm.want('Pause');
  calm.run(100);
  calm.want('Run');
  calm.run(20);
  assert.equal(calm.status?.phase, 'Running');
  calm.run();
  assert.equal(calm.status?.phase, 'Succeeded');
  assert.ok(calm.second >= 130);
});

test('the time in which a run is paused is no time of its gates, of waves and of steps', () => {
  const ofWave = { rollout: { waves: [{ name: 'all', remainder: true, before: [gate('later', { type: 'Wait' })] }] } };
  const steps = [{ type: 'ResolveClusters' }, { name: 'later', type: 'Wait' }, { type: 'RollingDeploy' }];
  const ofStep = { type: 'Custom', phases: [{ name: 'p', groups: [{ name: 'g', steps }], rollback: [] }] };
  for (const spec of [ofWave, ofStep]) {
    const fleet = new SimulatedFleet(members(1), spec);
    fleet.answerOf = ({ state }) => {
      const startedAt = String(state?.['startedAt'] ?? fleet.now.toISOString());
      const isOver = fleet.now.getTime() - Date.parse(startedAt) >= 60_000;
      return { phase: isOver ? 'Successful' : 'Running', state: { startedAt } };
    };
    fleet.run(30);
    fleet.want('Pause');
    fleet.run(100);
    fleet.want('Run');
    fleet.run(20);
    assert.equal(fleet.status?.phase, 'Waiting');
    fleet.run();
    assert.equal(fleet.status?.phase, 'Succeeded');
    assert.ok(fleet.second >= 160);
  }
});

test('a clock that is set makes no soak and no wait shorter or longer, paused or not', () => {
  const day = 86_400_000;
  const waves = [{ name: 'all', remainder: true, soak: '60s' }];
  for (const jumpMs of [day, -600_000, 0]) {
    for (const isPaused of [false, true]) {
      const fleet = new SimulatedFleet(members(1), { rollout: { waves } });
      fleet.run(20);
      assert.equal(fleet.status?.waves?.[0]?.phase, 'Soaking');
      if (isPaused) fleet.want('Pause');
      fleet.run(5);
      fleet.aheadMs = jumpMs;
      fleet.run(5);
      if (isPaused) fleet.want('Run');
      fleet.run(25);
      assert.equal(fleet.status?.phase, 'Running', `${jumpMs} ${isPaused}`);
      fleet.run();
      assert.equal(fleet.status?.phase, 'Succeeded');
      assert.ok(fleet.second < 100, `${fleet.second} s after ${jumpMs} ${isPaused}`);
    }
  }

  const fleet = new SimulatedFleet(members(1), {
    rollout: { waves: [{ name: 'all', remainder: true, before: [gate('later', { type: 'Wait' })] }] },
  });
  fleet.answerOf = ({ state }) => {
    const startedAt = String(state?.['startedAt'] ?? fleet.now.toISOString());
    return { phase: fleet.now.getTime() - Date.parse(startedAt) >= 60_000 ? 'Successful' : 'Running', state: { startedAt } };
  };
  fleet.run(30);
  fleet.aheadMs = day;
  fleet.run(20);
  assert.equal(fleet.status?.phase, 'Waiting');
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
});

test('runs wait for those ahead and for freezes; a rollback waits for none', () => {
  const fleet = new SimulatedFleet(members(1));
  fleet.queue = { ahead: 2, waiting: 1 };
  fleet.run(2);
  assert.deepEqual([fleet.status?.phase, fleet.status?.queuePosition], ['Queued', 2]);
  fleet.queue = { ahead: 0, waiting: 0 };
  fleet.freeze = { isOpen: false, mustPause: false, message: 'Frozen by x', nextOpen: new Date('2026-02-01T00:00:00Z') };
  fleet.run(2);
  assert.deepEqual([fleet.status?.phase, fleet.status?.reason], ['Queued', 'Frozen']);
  assert.equal(fleet.status?.nextOpen, '2026-02-01T00:00:00.000Z');
  fleet.freeze = { isOpen: true, mustPause: false };
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  fleet.freeze = { isOpen: false, mustPause: true };
  fleet.want('Rollback');
  fleet.reconcile();
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
});

test('a run that finds no clusters ends as its strategy says, also when that is ignored or tried again', () => {
  const end = (strategy: object) => {
    const fleet = new SimulatedFleet([], { failureStrategies: [strategy] });
    fleet.run();
    return [fleet.status?.phase, fleet.status?.steps?.map(one => `${one.type} ${one.status} ${one.attempt}`).join(', ')];
  };
  assert.deepEqual(end({ action: 'RollbackWorkflow' }), ['Failed', 'ResolveClusters Failed 1']);
  assert.deepEqual(end({ action: 'Abort' }), ['Aborted', 'ResolveClusters Failed 1']);
  assert.deepEqual(end({ action: 'Retry', retry: { count: 2, then: 'Abort' } }), ['Aborted', 'ResolveClusters Failed 3']);
  assert.deepEqual(end({ action: 'Ignore', specificSteps: ['Resolve Clusters'] }), [
    'Failed',
    'ResolveClusters Succeeded 1, RollingDeploy Failed 1',
  ]);
  assert.deepEqual(end({ action: 'Ignore' }), ['Succeeded', 'ResolveClusters Succeeded 1, RollingDeploy Succeeded 1']);
});

test('a run that was aborted while it was rolled back goes when its time is over', () => {
  const fleet = new SimulatedFleet(members(1), { ttl: { failed: '1h' } });
  fleet.run();
  fleet.want('Rollback');
  fleet.reconcile();
  assert.equal(fleet.status?.phase, 'RollingBack');
  fleet.want('Abort');
  fleet.reconcile();
  assert.equal(fleet.status?.phase, 'Aborted');
  fleet.second += 3600;
  fleet.reconcile();
  assert.ok(fleet.isDeleted);
});

test('who wants all of a run back while one cluster is put back sees no other cluster start', () => {
  const waves = [
    { name: 'first', count: 2, maxFailures: 1 },
    { name: 'rest', remainder: true },
  ];
  const fleet = new SimulatedFleet(members(3), { rollout: { waves }, ...strategies('RollbackCluster') });
  fleet.fateOf = (id, grant) => (grant.type === 'RollingDeploy' && id === 'c1' ? broken : { status: 'Succeeded', afterSeconds: 3 });
  const isBack = () => fleet.parts.get('c1')?.spec.grant?.isRollback === true;
  for (let i = 0; i < 20 && !isBack(); i++) fleet.run(1);
  assert.ok(isBack());
  const begun = new Set(fleet.deeds.map(one => one.cluster));
  fleet.want('Rollback');
  fleet.run();
  assert.equal(fleet.status?.phase, 'RolledBack');
  assert.deepEqual(new Set(fleet.deeds.filter(one => one.grant.isRollback !== true).map(one => one.cluster)), begun);
});

test('a full queue rejects', () => {
  const fleet = new SimulatedFleet(members(1), { concurrency: { maxQueue: 1 } });
  fleet.queue = { ahead: 2, waiting: 1 };
  fleet.run(2);
  assert.equal(fleet.status?.phase, 'Rejected');
});

test('Initialize plans and waits', () => {
  const fleet = new SimulatedFleet(members(2), { rollout: twoWaves });
  fleet.state = 'Initialize';
  fleet.run(5);
  assert.equal(fleet.status?.phase, 'Waiting');
  assert.deepEqual(
    fleet.status?.waves?.map(one => one.clusters),
    [['c0'], ['c1']],
  );
  assert.ok(fleet.status?.planHash);
  assert.equal(fleet.deeds.length, 0);
  fleet.want('Run');
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
});

test('a run that is not what its preview was fails before it does anything', () => {
  const preview = new SimulatedFleet(members(2));
  preview.mode = 'Preview';
  preview.run();
  assert.equal(preview.status?.phase, 'Succeeded');
  assert.deepEqual([...new Set(preview.deeds.map(one => one.grant.type))], ['Preview']);

  const same = new SimulatedFleet(members(2));
  same.previewHash = preview.status!.planHash!;
  same.run();
  assert.equal(same.status?.phase, 'Succeeded');

  const other = new SimulatedFleet(members(3));
  other.previewHash = preview.status!.planHash!;
  other.run();
  assert.deepEqual([other.status?.phase, other.status?.reason, other.deeds.length], ['Failed', 'PlanStale', 0]);
});

test('no more clusters are busy than the hub has room for', () => {
  const fleet = new SimulatedFleet(members(6));
  fleet.hubRoom = 2;
  let most = 0;
  fleet.check = () => (most = Math.max(most, fleet.inFlight().length));
  fleet.run();
  assert.equal(most, 2);
  assert.equal(fleet.status?.phase, 'Succeeded');
});

test('clusters that no wave selects go last, fail the run, or are left out', () => {
  const waves = [{ name: 'named', clusterNames: ['c0'] }];
  const of = (unassigned: string | undefined) => {
    const fleet = new SimulatedFleet(members(2), { rollout: { waves, ...(unassigned !== undefined && { unassigned }) } });
    fleet.run();
    return [fleet.status?.phase, fleet.stateOf('c1')];
  };
  assert.deepEqual(of(undefined), ['Succeeded', 'Succeeded']);
  assert.deepEqual(of('Skip'), ['Succeeded', 'Skipped']);
  assert.deepEqual(of('Fail'), ['Failed', 'Pending']);
});

test('a run is deleted when its time is over', () => {
  const fleet = new SimulatedFleet(members(1), { ttl: { succeeded: '1m' } });
  fleet.run();
  assert.equal(fleet.isDeleted, false);
  fleet.second += 61;
  fleet.reconcile();
  assert.equal(fleet.isDeleted, true);
});

test('Ignore lets a run pass a gate that failed, and a cluster that fell ill', () => {
  const waves = [{ name: 'all', remainder: true, before: [gate('ready?')], soak: '30s' }];
  const fleet = new SimulatedFleet(members(2), { rollout: { waves }, ...strategies('Ignore') });
  fleet.answerOf = () => answer('Failed');
  fleet.run(10);
  fleet.member('c1').illSince = fleet.now;
  fleet.run();
  assert.equal(fleet.status?.phase, 'Succeeded');
  assert.ok(fleet.second < 60);
  assert.equal(fleet.asked.length, 1);
});

test('clusters that come later are left alone, or join the last wave where the rollout says so', () => {
  for (const [latecomers, states] of [
    ['Ignore', { c0: 'Succeeded', c1: 'Succeeded', c9: 'Pending' }],
    ['Append', { c0: 'Succeeded', c1: 'Succeeded', c9: 'Succeeded' }],
  ] as const) {
    const fleet = new SimulatedFleet(members(2), { rollout: { ...twoWaves, latecomers } });
    fleet.reconcile();
    fleet.members.push({ id: 'c9' });
    fleet.run();
    assert.equal(fleet.status?.phase, 'Succeeded');
    assert.deepEqual(fleet.states(), states);
    assert.equal(fleet.status?.clusters?.total, latecomers === 'Append' ? 3 : 2);
  }
});
