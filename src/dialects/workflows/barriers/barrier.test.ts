import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../../api/define-kind.ts';
import { PipelineRun, type Stage } from '../kinds/pipeline.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { Workflow } from '../kinds/workflow.ts';
import { inTime } from '../gates/run-gate-desk.ts';
import { openState } from '../gates/gate-state.ts';
import { SimulatedFleet } from '../runs/simulated-fleet.ts';
import { partiesOf } from './barrier-parties.ts';
import { turnsOf } from './barrier-standing.ts';
import { judgeBarrier } from './judge-barrier.ts';

const barrier = (more: object = {}) => ({ name: 'Meet', type: 'Barrier', with: { identifier: 'db' }, ...more });
const step = (type: string) => ({ name: type, type });
const phases = (...between: object[]) => [
  {
    name: 'Only',
    groups: [{ name: 'Deploy', steps: [step('ResolveClusters'), step('RollingDeploy'), ...between, step('Scale')] }],
    rollback: [{ name: 'Deploy', steps: [step('RollingRollback'), barrier()] }],
  },
];

/** Runs that a pipeline takes along together, each in a world of its own; what they know of each other is what is written down. */
class Together {
  readonly fleets: ReadonlyMap<string, SimulatedFleet>;
  stages: readonly Stage[];
  /** Names of runs, by their stage. */
  runs: (readonly string[] | undefined)[];
  readonly deleted = new Set<string>();

  constructor(fleets: Readonly<Record<string, SimulatedFleet>>) {
    this.fleets = new Map(Object.entries(fleets));
    const names = [...this.fleets.keys()];
    this.stages = names.map((name, i) => ({ name, workflowRef: { name }, parallelWithPrevious: i > 0 }));
    this.runs = names.map(name => [name]);
    for (const [name, fleet] of this.fleets) {
      fleet.answerOf = ({ gate, state }) => {
        const began = openState(state, fleet.now);
        const judging = { gate, state: began, nowMs: fleet.now.getTime() } as never;
        const { state: _, ...verdict } = inTime(judging, this.judge(name, gate as never));
        return { ...verdict, state: began };
      };
    }
  }

  run(name: string): WorkflowRun | undefined {
    const fleet = this.fleets.get(name);
    if (!fleet || this.deleted.has(name)) return undefined;
    const run = newObject(WorkflowRun, { namespace: 'shop', name, creationTimestamp: '2026-01-01T00:00:00Z' }, { workflowRef: { name } });
    return { ...run, ...(fleet.status && { status: fleet.status as never }) };
  }

  parties(name: string, time = 0) {
    const stages = this.stages.map((stage, i) => ({
      name: stage.name,
      phase: 'Running' as const,
      ...(this.runs[i] && { runs: [...this.runs[i]] }),
    }));
    const status = { snapshot: { stages: [...this.stages] }, stages, engine: { made: [...this.fleets.keys()] } };
    const pipelineRun = { ...newObject(PipelineRun, { name: 'p' }, { pipelineRef: { name: 'p' } }), status } as unknown as PipelineRun;
    const findWorkflow = (workflow: string) =>
      newObject(Workflow, { name: workflow }, { type: 'Custom', phases: phases(...(workflow === 'plain' ? [] : [barrier()])) as never });
    return partiesOf(this.run(name)!, pipelineRun, { identifier: 'db', time }, { findRun: other => this.run(other), findWorkflow });
  }

  judge(name: string, { leg, position }: { leg: number; position: number }) {
    const turns = turnsOf(this.run(name) as never, 'db');
    const time = turns.findIndex(one => one.leg === leg && one.position === position);
    return judgeBarrier('db', this.parties(name, time));
  }

  /** A second of all of them. */
  tick(isAlive: (name: string) => boolean = () => true): void {
    for (const [name, fleet] of this.fleets) {
      fleet.tick();
      if (isAlive(name)) fleet.reconcile();
    }
  }

  isOver(): boolean {
    return [...this.fleets].every(([name, fleet]) => fleet.status?.finishedAt !== undefined || this.deleted.has(name));
  }
}

const fleet = (clusters = 1, spec: object = {}, ...between: object[]) =>
  new SimulatedFleet(
    Array.from({ length: clusters }, (_, i) => ({ id: `c${i}` })),
    { type: 'Custom', phases: phases(...(between.length > 0 ? between : [barrier()])), concurrency: { unit: 'None' }, ...spec },
  );
const begins = (one: SimulatedFleet, type: string) => one.deeds.filter(deed => deed.grant.type === type).map(deed => deed.atSecond);
const phasesOf = ({ fleets }: Together) => [...fleets.values()].map(one => one.status?.phase);
const untilOver = (all: Together, seconds = 200) => {
  for (let i = 0; i < seconds && !all.isOver(); i++) all.tick();
};

test('runs that go together pass a barrier together', () => {
  const [quick, slow] = [fleet(), fleet(3)];
  slow.fateOf = (_, { type }) => ({ status: 'Succeeded', afterSeconds: type === 'RollingDeploy' ? 30 : 1 });
  const all = new Together({ quick, slow });
  for (let i = 0; i < 20; i++) all.tick();
  assert.equal(quick.status?.phase, 'Waiting');
  const waiting = quick.status?.steps?.find(one => one.type === 'Barrier');
  assert.deepEqual([waiting?.status, waiting?.gate?.message], ['Waiting', 'At barrier "db", waiting for run "slow"']);
  untilOver(all);
  assert.deepEqual(phasesOf(all), ['Succeeded', 'Succeeded']);
  assert.ok(begins(quick, 'Scale')[0]! > 30, 'before the other was there');
  assert.match(quick.lines.join('\n'), /All 2 runs are at barrier "db"/);
});

test('whoever fails before the barrier keeps the others from passing it; whoever fails afterwards does not', () => {
  for (const [broken, phase] of [
    ['RollingDeploy', 'RolledBack'],
    ['Scale', 'Succeeded'],
  ] as const) {
    const [good, bad] = [fleet(), fleet()];
    bad.fateOf = (_, { type }) => ({ status: type === broken ? 'Failed' : 'Succeeded', afterSeconds: type === broken ? 20 : 1 });
    const all = new Together({ good, bad });
    untilOver(all);
    assert.deepEqual(phasesOf(all), [phase, 'RolledBack'], broken);
    if (broken === 'RollingDeploy')
      assert.match(good.status?.message ?? '', /Barrier "db" cannot be passed: run "bad" is Roll(?:ed|ing)Back/);
  }
});

test('nobody is waited for longer than the step may take, and a strategy says what then', () => {
  const failureStrategies = [{ failureTypes: ['Timeout'], action: 'Ignore' }];
  for (const [more, phase] of [
    [{}, 'Failed'],
    [{ failureStrategies }, 'Succeeded'],
  ] as const) {
    const [run, slow] = [fleet(1, {}, barrier({ timeout: '60s', ...more })), fleet()];
    slow.fateOf = () => ({ status: 'Succeeded', afterSeconds: 1000 });
    const all = new Together({ run, slow });
    for (let i = 0; i < 100; i++) all.tick();
    assert.deepEqual(phasesOf(all), [phase, 'Running']);
    assert.match(run.lines.join('\n'), /Timed out: At barrier "db", waiting for run "slow"/);
  }
});

test('a barrier in each wave is passed wave by wave, by whoever has as many', () => {
  const waves = (count: number) => ({
    rollout: {
      waves: Array.from({ length: count }, (_, i) => ({ name: `w${i}`, ...(i < count - 1 ? { count: 1 } : { remainder: true }) })),
    },
  });
  const [two, three] = [fleet(2, waves(2)), fleet(3, waves(3))];
  three.fateOf = () => ({ status: 'Succeeded', afterSeconds: 10 });
  const all = new Together({ two, three });
  untilOver(all);
  assert.deepEqual(phasesOf(all), ['Succeeded', 'Succeeded']);
  const [first, second] = begins(three, 'RollingDeploy');
  assert.ok(begins(two, 'Scale')[0]! >= first! + 10 && begins(two, 'Scale')[1]! >= second! + 10);
});

test('those who are not meant are not waited for: skipped steps, other names, other stages, nobody at all', () => {
  const others = {
    skipped: fleet(1, {}, barrier({ skip: 'Always' })),
    other: fleet(1, {}, barrier({ with: { identifier: 'cache' } })),
  };
  for (const one of Object.values(others)) one.fateOf = () => ({ status: 'Succeeded', afterSeconds: 50 });
  const run = fleet();
  const all = new Together({ run, ...others });
  // What they are made of must be known first.
  for (let i = 0; i < 20; i++) all.tick();
  assert.equal(run.status?.phase, 'Succeeded');
  assert.match(run.lines.join('\n'), /No other run comes to barrier "db"/);

  const apart = new Together({ one: fleet(), two: fleet() });
  apart.stages = apart.stages.map(stage => ({ ...stage, parallelWithPrevious: false }));
  assert.deepEqual(apart.parties('one'), []);
});

test('what is not there yet, is gone, or cannot begin before this run ends', () => {
  const all = new Together({ run: fleet(), other: fleet() });
  const standing = () => all.parties('run').map(one => `${one.title} ${one.standing}`);
  all.runs = [['run'], undefined];
  assert.deepEqual(standing(), ['stage "other" Coming']);
  all.stages = [all.stages[0]!, { name: 'other', workflowRef: { name: 'plain' }, parallelWithPrevious: true }];
  assert.deepEqual(standing(), [], 'a workflow without a barrier');
  all.runs = [['run'], ['other']];
  assert.deepEqual(standing(), ['run "other" Coming']);
  all.deleted.add('other');
  assert.deepEqual(standing(), ['run "other" Lost']);

  const [first, second] = [fleet(1, { concurrency: {} }), fleet(1, { concurrency: {} })];
  second.queue = { ahead: 1, waiting: 0 };
  const queued = new Together({ first, second });
  for (let i = 0; i < 20 && first.status?.finishedAt === undefined; i++) queued.tick();
  assert.equal(first.status?.phase, 'RolledBack');
  assert.match(first.status?.message ?? '', /run "second" waits in the queue for this run to end/);
});

test('whoever dies and when, nobody passes a barrier alone, and all come to an end', () => {
  const fate = fc.record({ deploySeconds: fc.integer({ min: 1, max: 25 }), isBad: fc.boolean(), clusters: fc.integer({ min: 1, max: 2 }) });
  const deaths = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 0, max: 4 })), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(fate, { minLength: 2, maxLength: 3 }), deaths, (fates, kills) => {
      const fleets = fates.map(({ deploySeconds, isBad, clusters }) => {
        const one = fleet(clusters);
        one.fateOf = (_, { type }) =>
          type === 'RollingDeploy'
            ? { status: isBad ? 'Failed' : 'Succeeded', afterSeconds: deploySeconds }
            : { status: 'Succeeded', afterSeconds: 1 };
        return one;
      });
      const all = new Together(Object.fromEntries(fleets.map((one, i) => [`r${i}`, one])));
      for (let second = 0; second < 200 && !all.isOver(); second++) {
        const [victim, writes] = kills[second] ?? [];
        if (victim !== undefined) fleets[victim % fleets.length]!.reconcile(writes);
        all.tick(name => name !== `r${victim}`);
      }
      const isBad = fates.some(one => one.isBad);
      assert.deepEqual(new Set(phasesOf(all)), new Set([isBad ? 'RolledBack' : 'Succeeded']));
      const arrivals = fleets.map(one => Math.max(...begins(one, 'RollingDeploy')));
      const passed = fleets.flatMap(one => begins(one, 'Scale'));
      if (isBad) assert.deepEqual(passed, []);
      else assert.ok(Math.min(...passed) > Math.max(...arrivals.map((at, i) => at + fates[i]!.deploySeconds - 1)));
    }),
    { numRuns: 60 },
  );
});
