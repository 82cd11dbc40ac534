import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../../api/define-kind.ts';
import { cloneJson, type Json } from '../../../util/json.ts';
import { Pipeline, PipelineRun } from '../kinds/pipeline.ts';
import { isTerminal, WorkflowRun, type RunPhase } from '../kinds/workflow-run.ts';
import { Workflow } from '../kinds/workflow.ts';
import { nextPipelineRun } from './next-pipeline-run.ts';
import { groupsOf, type PipelineInput, type PipelineStatus } from './pipeline-state.ts';
import { stageRun } from './stage-run.ts';

const key = { namespace: 'shop', name: 'p1', uid: 'u1', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
const workflow = newObject(Workflow, { namespace: 'shop', name: 'web' }, { type: 'Basic' });

interface Plan {
  readonly stages: readonly { readonly isParallel: boolean; readonly infrastructures: number; readonly isBroken: boolean }[];
  readonly rollbackOnFailure: boolean;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  stages: fc.array(
    fc
      .record({ isParallel: fc.boolean(), infrastructures: fc.nat(2), isBroken: fc.boolean() })
      .map(one => ({ ...one, isBroken: one.isBroken && one.infrastructures === 1 })),
    { minLength: 1, maxLength: 5 },
  ),
  rollbackOnFailure: fc.boolean(),
});

/** A hub that may die before it writes what it decided, and runs that go on in any order. */
function simulate({ stages, rollbackOnFailure }: Plan, dice: () => number) {
  const spec = {
    rollbackOnFailure,
    stages: stages.map(({ isParallel, infrastructures }, i) => ({
      name: `s${i}`,
      workflowRef: { name: 'web' },
      ...(isParallel && i > 0 && { parallelWithPrevious: true }),
      ...(infrastructures > 0 && { infrastructureRefs: Array.from({ length: infrastructures }, (_, n) => `i${n}`) }),
    })),
  };
  const pipeline = newObject(Pipeline, { namespace: 'shop', name: 'all' }, spec);
  const groups = groupsOf(spec.stages);
  const runs = new Map<string, WorkflowRun>();
  const made: string[] = [];
  let status: PipelineStatus | undefined;
  let nowMs = Date.parse('2026-01-01T00:00:00Z');

  const present = (): PipelineRun => ({
    ...newObject(PipelineRun, key, { pipelineRef: { name: 'all' } }),
    ...(status && { status: cloneJson(status) as never }),
  });
  const stageOf = (name: string) => status!.stages!.findIndex(stage => stage.runs?.includes(name));
  const groupOf = (stage: number) => groups.findIndex(group => group.includes(stage));

  for (let turn = 0; turn < 400; turn++) {
    nowMs += 1000;
    for (const order of status?.engine?.orders ?? []) {
      if (runs.has(order.name)) continue;
      const before = groups.slice(0, groupOf(stageOf(order.name))).flat();
      assert.ok(
        before.every(i => ['Succeeded', 'Skipped'].includes(status!.stages![i]!.phase)),
        'a stage begins before its turn',
      );
      made.push(order.name);
      runs.set(order.name, { ...stageRun(present(), order, {}), status: { phase: 'Queued', observedGeneration: 1 } });
      runs.get(order.name)!.metadata.generation = 1;
    }
    const input: PipelineInput = {
      run: present(),
      pipeline,
      app: { name: 'shop', description: '' },
      refusals: new Map(),
      refusesRollback: () => false,
      findRun: name => runs.get(name),
      findRequest: () => undefined,
      findWorkflow: () => workflow,
      now: new Date(nowMs),
    };
    const step = nextPipelineRun(input);
    assert.deepEqual(JSON.parse(JSON.stringify(nextPipelineRun(input))) as Json, JSON.parse(JSON.stringify(step)) as Json);
    if (dice() < 0.3) continue;
    status = step.status;
    for (const { name, state } of step.states) {
      const run = runs.get(name)!;
      const later = groups
        .slice(groupOf(stageOf(name)) + 1)
        .flat()
        .flatMap(i => status!.stages![i]!.runs ?? []);
      const isLeft = (other: string) => runs.get(other)?.status?.phase === 'Succeeded';
      if (state === 'Rollback') assert.ok(!later.some(isLeft), 'a stage is put back before a later one');
      if (run.spec.state !== state) {
        run.spec.state = state;
        run.metadata.generation!++;
      }
    }
    if (isTerminal(status.phase)) return { status, runs, made, groups };
    for (const [name, run] of runs) if (dice() < 0.5) goOn(run, stages[stageOf(name)]!.isBroken);
  }
  throw new Error(`the pipeline never ends: ${JSON.stringify(status?.stages)}`);
}

function goOn(run: WorkflowRun, isBroken: boolean): void {
  const { phase } = run.status!;
  const next: Partial<Record<RunPhase, RunPhase>> = {
    Queued: 'Running',
    Running: isBroken ? 'RolledBack' : 'Succeeded',
    RollingBack: 'RolledBack',
  };
  const wanted = run.spec.state === 'Rollback' && phase !== 'RollingBack' && phase !== 'RolledBack' ? 'RollingBack' : next[phase!];
  run.status = { ...run.status, phase: wanted ?? phase!, observedGeneration: run.metadata.generation! };
}

test('whatever a pipeline is made of and whenever its hub dies, stages keep their order, nothing is made twice, and it ends as it must', () => {
  fc.assert(
    fc.property(
      plans,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 50, maxLength: 50 }),
      (plan, numbers) => {
        let at = 0;
        const { status, runs, made, groups } = simulate(plan, () => numbers[at++ % numbers.length]! * 0.999 ** at + (at % 7) / 20);
        assert.equal(new Set(made).size, made.length);
        const isBroken = plan.stages.some(one => one.isBroken);
        const failed = groups.findIndex(group => group.some(i => plan.stages[i]!.isBroken));
        assert.equal(status.phase, !isBroken ? 'Succeeded' : plan.rollbackOnFailure ? 'RolledBack' : 'Failed');
        const begun = groups.slice(0, isBroken ? failed + 1 : groups.length).flat();
        assert.equal(
          made.length,
          begun.reduce((sum, i) => sum + Math.max(1, plan.stages[i]!.infrastructures), 0),
        );
        const left = [...runs.values()].filter(run => run.status?.phase === 'Succeeded').length;
        if (isBroken && plan.rollbackOnFailure) assert.equal(left, 0);
      },
    ),
    { numRuns: 300 },
  );
});
