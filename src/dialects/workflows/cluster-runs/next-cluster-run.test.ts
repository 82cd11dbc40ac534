import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../../api/define-kind.ts';
import { Work } from '../../../api/work.ts';
import type { ClusterRun, Grant } from '../kinds/cluster-run.ts';
import type { SteadyState } from '../release/steady-state.ts';
import { deliveryOf, type Delivery } from './delivery-of-work.ts';
import { nextClusterRun, timedOut, troubled, type ClusterRunInput, type ClusterRunStatus, type Move } from './next-cluster-run.ts';

const start = new Date('2026-11-17T12:00:00Z');
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);
const grant = (more: Partial<Grant> = {}): Grant => ({
  id: 3,
  phase: 'Rolling',
  group: 'Deploy',
  step: 'Rollout',
  type: 'RollingDeploy',
  position: 1,
  attempt: 1,
  timeout: '10m',
  ...more,
});
const specOf = (given: Grant | undefined, standing?: ClusterRun['spec']['standing']): ClusterRun['spec'] => ({
  runRef: { name: 'run', uid: 'uid' },
  cluster: { id: 'c-m-0000east', name: 'east' },
  wave: 'all',
  ...(given && { grant: given }),
  ...(standing && { standing }),
});
const nothing = { half: undefined, delivery: { state: 'pending' } } as const;
const next = (more: Partial<ClusterRunInput>): Move =>
  nextClusterRun({ spec: specOf(grant()), status: undefined, work: nothing, now: start, ...more });
const written = (move: Move): ClusterRunStatus => {
  assert.equal(move.move, 'write');
  return move.move === 'write' ? move.status : {};
};
const running = written(next({}));
const waits = { ...running, checkpoint: { ...running.checkpoint!, awaits: [{ kind: 'Deployment' }] } };

test('without a grant there is nothing to do but to say so', () => {
  assert.equal(written(next({ spec: specOf(undefined) })).phase, 'Pending');
  assert.equal(next({ spec: specOf(undefined), status: { phase: 'Pending' } }).move, 'rest');
});

test('a cluster that is done is watched with its wave, one that failed or is set aside is not', () => {
  const phaseOf = (status: ClusterRunStatus, isSoaking: boolean, spec = specOf(grant({ isLast: true }))) =>
    written(next({ spec, status: { ...status, phase: 'Running' }, isSoaking })).phase;
  const over = (status: 'Succeeded' | 'Failed') => ({ grant: 3, step: { status } });
  assert.deepEqual([phaseOf(over('Succeeded'), true), phaseOf(over('Succeeded'), false)], ['Soaking', 'Succeeded']);
  assert.equal(phaseOf(over('Failed'), true), 'Failed');
  assert.equal(phaseOf(over('Succeeded'), true, specOf(grant(), { state: 'Deferred' })), 'Deferred');
  const soaking = { ...over('Succeeded'), phase: 'Soaking' as const };
  assert.equal(next({ spec: specOf(grant({ isLast: true })), status: soaking, isSoaking: true }).move, 'rest');
});

test('a grant is begun in writing before anything is done', () => {
  assert.deepEqual(running, {
    startedAt: '2026-11-17T12:00:00Z',
    grant: 3,
    step: { status: 'Running', startedAt: '2026-11-17T12:00:00Z' },
    checkpoint: { grant: 3, half: 'begin', at: '2026-11-17T12:00:00Z' },
    phase: 'Running',
  });
  assert.equal(next({ status: running }).move, 'begin');
});

test('grants of old are ignored', () => {
  assert.equal(next({ status: { grant: 4, phase: 'Running' } }).move, 'rest');
});

test('what the run says of a cluster keeps it from everything; an abort ends what goes on', () => {
  assert.equal(written(next({ spec: specOf(grant(), { state: 'Skipped' }) })).phase, 'Skipped');
  const aborted = specOf(grant(), { state: 'Aborted' });
  assert.equal(written(next({ spec: aborted })).phase, 'Aborted');
  const before = written(next({ spec: aborted, status: running }));
  assert.deepEqual([before.step?.status, before.step?.message, before.phase], ['Failed', 'Aborted', 'Aborted']);
  const middle = written(next({ spec: aborted, status: waits, work: { half: 'begin', delivery: { state: 'applied' } } }));
  assert.deepEqual([middle.checkpoint?.half, middle.checkpoint?.result], ['end', 'Failed']);
});

test('a Work is waited for, then what it brought, and then the step ends', () => {
  const begun = { half: 'begin', delivery: { state: 'pending' } } as const;
  assert.deepEqual(next({ status: waits, work: begun }), { move: 'wait', until: at(600) });
  const applied = { half: 'begin', delivery: { state: 'applied' } } as const;
  assert.equal(next({ status: waits, work: applied }).move, 'look');
  const waiting = [{ state: 'waiting', message: 'soon' }] as const;
  assert.deepEqual(next({ status: waits, work: applied, seen: waiting }), { move: 'wait', until: at(5) });
  const steady = written(next({ status: waits, work: applied, seen: [{ state: 'steady', message: '' }] }));
  assert.equal(steady.checkpoint?.result, 'Succeeded');
  assert.deepEqual(next({ status: steady, work: applied }), { move: 'end', result: 'Succeeded' });
  // Somebody may have taken the Work away.
  assert.equal(written(next({ status: steady, work: nothing, now: at(120) })).step?.status, 'Failed');
  const ended = { half: 'end', delivery: { state: 'pending' } } as const;
  assert.equal(next({ status: steady, work: ended }).move, 'wait');
  // What is left to tidy up keeps nobody waiting for ever.
  assert.equal(written(next({ status: steady, work: ended, now: at(121) })).step?.status, 'Succeeded');
  const over = written(next({ status: steady, work: { half: 'end', delivery: { state: 'applied' } }, now: at(9) }));
  assert.deepEqual(over.step, { status: 'Succeeded', startedAt: '2026-11-17T12:00:00Z', finishedAt: '2026-11-17T12:00:09Z' });
  assert.deepEqual(over.steps, [{ grant: 3, name: 'Rollout', type: 'RollingDeploy', status: 'Succeeded' }]);
  assert.equal(over.checkpoint, undefined);
  assert.equal(over.phase, 'Pending');
  assert.equal(next({ status: over }).move, 'rest');
});

test('what the member refuses, and what breaks, fails the step; what takes too long times out', () => {
  const failed = written(next({ status: waits, work: { half: 'begin', delivery: { state: 'failed', message: 'refused' } } }));
  assert.deepEqual([failed.checkpoint?.result, failed.checkpoint?.message], ['Failed', 'refused']);
  const applied = { half: 'begin', delivery: { state: 'applied' } } as const;
  const broken = written(next({ status: waits, work: applied, seen: [{ state: 'failed', message: 'stuck' }] }));
  assert.equal(broken.checkpoint?.message, 'stuck');
  const waiting = [{ state: 'waiting', message: '' }] as const;
  const late = written(next({ status: waits, work: applied, seen: waiting, now: at(600) }));
  assert.deepEqual([late.checkpoint?.result, late.checkpoint?.failureType, late.checkpoint?.message], ['TimedOut', 'Timeout', timedOut]);
  // One that has failed does not wait for a member that may never follow.
  const over = written(next({ status: late, work: { half: 'end', delivery: { state: 'pending' } }, now: at(600) }));
  assert.deepEqual([over.phase, over.failure?.reason, over.step?.failureType], ['TimedOut', 'TimedOut', 'Timeout']);
});

test('a step that cannot begin fails for the reason that kept it, and not because of the time', () => {
  const lost = troubled(running, 'Connectivity', 'cluster "east" cannot be asked');
  assert.equal(next({ status: lost, now: at(599) }).move, 'begin');
  const over = written(next({ status: lost, now: at(600) }));
  assert.deepEqual(over.failure, { type: 'Connectivity', reason: 'StepFailed', message: 'cluster "east" cannot be asked' });
  assert.equal(over.phase, 'Failed');
});

test('what rules of the member deny is a failure of type Policy, as long as they do', () => {
  const typeOf = (move: Move) => written(move).checkpoint?.failureType;
  const work = (delivery: Delivery) => ({ half: 'begin' as const, delivery });
  const stalled = { type: 'Stalled', status: 'True', reason: 'PolicyDenied', message: 'no', lastTransitionTime: '' } as const;
  const denied = newObject(Work, { generation: 1 }, { release: { name: 'web', namespace: 'shop' } });
  const delivery = deliveryOf({ ...denied, status: { observedGeneration: 1, conditions: [stalled] } }, undefined);
  assert.deepEqual(delivery, { state: 'failed', message: 'no', isDenied: true });
  assert.equal(typeOf(next({ status: waits, work: work(delivery) })), 'Policy');
  assert.equal(typeOf(next({ status: waits, work: work({ state: 'failed', message: 'no' }) })), 'ApplicationError');
  assert.equal(typeOf(next({ status: waits, work: work({ state: 'pending', message: 'no', isDenied: true }), now: at(600) })), 'Policy');

  const applied = work({ state: 'applied' });
  const seen = (state: SteadyState['state'], isDenied: boolean) => [{ state, message: 'no pods', isDenied }];
  assert.equal(typeOf(next({ status: waits, work: applied, seen: seen('failed', true) })), 'Policy');
  const hindered = written(next({ status: waits, work: applied, seen: seen('waiting', true) }));
  assert.equal(next({ status: hindered, work: applied, seen: seen('waiting', true) }).move, 'wait');
  const late = written(next({ status: hindered, work: applied, seen: seen('waiting', true), now: at(600) })).checkpoint;
  assert.deepEqual([late?.result, late?.failureType, late?.message], ['Failed', 'Policy', `${timedOut}: no pods`]);
  const passed = written(next({ status: hindered, work: applied, seen: seen('waiting', false) }));
  assert.deepEqual(passed, waits);
  const steady = written(next({ status: hindered, work: applied, seen: seen('steady', false) })).checkpoint;
  assert.deepEqual([steady?.result, steady?.failureType, steady?.message], ['Succeeded', undefined, undefined]);
});

test('a member that is out of reach when the time is over has failed by that', () => {
  const pending = { state: 'pending', isLost: true, message: 'Cluster "east" is not ready' } as const;
  const gone = written(next({ status: waits, work: { half: 'begin', delivery: pending }, now: at(600) }));
  assert.deepEqual(
    [gone.checkpoint?.result, gone.checkpoint?.failureType, gone.checkpoint?.message],
    ['Failed', 'Connectivity', 'Cluster "east" is not ready'],
  );
  const refused = { state: 'pending', message: 'the webhook does not answer' } as const;
  const late = written(next({ status: waits, work: { half: 'begin', delivery: refused }, now: at(600) }));
  assert.deepEqual([late.checkpoint?.failureType, late.checkpoint?.message], ['Timeout', `${timedOut}: the webhook does not answer`]);
});

test('what was over while the hub was away is looked at once more, and then fails as HubRestart', () => {
  const back = { hubSince: at(900), now: at(901) };
  assert.equal(written(next({ status: running, ...back })).failure?.type, 'HubRestart');
  const applied = { half: 'begin', delivery: { state: 'applied' } } as const;
  assert.equal(next({ status: waits, work: applied, ...back }).move, 'look');
  const steady = written(next({ status: waits, work: applied, seen: [{ state: 'steady', message: '' }], ...back }));
  assert.equal(steady.checkpoint?.result, 'Succeeded');
  const waiting = written(next({ status: waits, work: applied, seen: [{ state: 'waiting', message: '' }], ...back }));
  assert.deepEqual([waiting.checkpoint?.result, waiting.checkpoint?.failureType], ['Failed', 'HubRestart']);
  // Whoever was there all the time has seen it.
  const seen = [{ state: 'waiting', message: '' }] as const;
  assert.equal(written(next({ status: waits, work: applied, seen, hubSince: at(599), now: at(600) })).checkpoint?.failureType, 'Timeout');
});

test('the deadline of a cluster counts from its first step, but not on the way back', () => {
  const status = { ...waits, startedAt: '2026-11-17T11:50:00Z' };
  const work = { half: 'begin', delivery: { state: 'pending' } } as const;
  assert.equal(written(next({ spec: specOf(grant({ progressDeadline: '10m' })), status, work })).checkpoint?.result, 'TimedOut');
  const back = specOf(grant({ progressDeadline: '10m', isRollback: true }));
  assert.equal(next({ spec: back, status, work }).move, 'wait');
});

test('whoever asks again after a crash gets on, and never back', () => {
  // A world that does what it is told, dies at any line, and forgets everything but what was written.
  const event = fc.constantFrom('go', 'go', 'go', 'die', 'wait', 'break');
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), events => {
      let status: ClusterRunStatus | undefined;
      let work: ClusterRunInput['work'] = nothing;
      let seen: ClusterRunInput['seen'];
      let seconds = 0;
      const halves: string[] = [];
      for (const one of [...events, ...Array<string>(20).fill('go')]) {
        seconds += one === 'wait' ? 30 : 0;
        if (one === 'die') seen = undefined;
        if (one === 'break' && work.half === 'begin') work = { half: 'begin', delivery: { state: 'failed', message: 'x' } };
        const move: Move = nextClusterRun({
          spec: specOf(grant({ isLast: true })),
          status,
          work,
          ...(seen && { seen }),
          now: at(seconds),
        });
        if (move.move === 'write') status = move.status;
        else if (move.move === 'begin') {
          status = { ...status, checkpoint: { ...status!.checkpoint!, awaits: [{ kind: 'Deployment' }] } };
          if (one !== 'die') work = { half: 'begin', delivery: { state: 'pending' } };
        } else if (move.move === 'look') seen = [{ state: 'steady', message: '' }];
        else if (move.move === 'end' && one !== 'die') work = { half: 'end', delivery: { state: 'pending' } };
        else if (move.move === 'wait' && work.delivery.state === 'pending') work = { half: work.half, delivery: { state: 'applied' } };
        if (work.half && halves.at(-1) !== work.half) halves.push(work.half);
      }
      assert.deepEqual(halves, ['begin', 'end']);
      assert.ok(status?.phase === 'Succeeded' || status?.phase === 'Failed' || status?.phase === 'TimedOut');
      assert.equal(status.steps?.length, 1);
    }),
  );
});

test('a clock that is set while a step goes on neither ends it nor gives it more time', () => {
  const work = { half: 'begin', delivery: { state: 'pending' } } as const;
  const jumped = (seconds: number) => ({ cluster: seconds * 1000, step: seconds * 1000, end: seconds * 1000 });
  const day = 86_400;
  const moveAt = (seconds: number, jumps: ClusterRunInput['jumps']) => next({ status: waits, work, now: at(seconds), jumps });

  assert.equal(written(moveAt(day, undefined)).checkpoint?.result, 'TimedOut');
  assert.deepEqual(moveAt(day + 60, jumped(day)), { move: 'wait', until: at(day + 600) });
  assert.equal(written(moveAt(day + 600, jumped(day))).checkpoint?.result, 'TimedOut');
  assert.equal(written(moveAt(60, jumped(-600))).checkpoint?.result, 'TimedOut', 'it has had its ten minutes');

  const given = specOf(grant({ progressDeadline: '5m' }));
  assert.deepEqual(next({ spec: given, status: waits, work, now: at(day + 60), jumps: jumped(day) }), {
    move: 'wait',
    until: at(day + 300),
  });

  const ended = written(next({ status: running, work: { half: 'begin', delivery: { state: 'applied' } }, now: at(10) }));
  assert.equal(next({ status: ended, work, now: at(day), jumps: jumped(day) }).move, 'end');
  assert.equal(written(next({ status: ended, work, now: at(day) })).step?.status, 'Failed');
});
