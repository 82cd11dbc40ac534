import { renderText } from '../expressions/render-text.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { runScope } from '../inputs/run-scope.ts';
import { isTerminal } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { phasesOf, type StepSpec } from '../runs/generate-phases.ts';
import { factsOfRun, type RunWithStatus } from '../runs/run-facts.ts';
import { legsOf, planRun, stepsOf } from '../runs/run-plan.ts';

/** A time that a run comes to a barrier: once in each wave, and for each step. */
export interface Turn {
  readonly leg: number;
  readonly position: number;
}

/** How a run stands to a barrier: it does not come there, is there or past it, will come, or never will. */
export type Standing = 'None' | 'Here' | 'Coming' | 'Lost';

/** The times that a run comes to a barrier, in order. None as long as it is not known what the run is made of. */
export function turnsOf(run: RunWithStatus, identifier: string): Turn[] {
  const { snapshot, waves = [] } = run.status ?? {};
  if (!snapshot) return [];
  const spec = snapshot.workflow.spec as Partial<Workflow['spec']>;
  const plan = planRun(phasesOf(spec, snapshot.provider.type), spec.rollout?.scope);
  const scope = runScope(snapshot, factsOfRun(run));
  const isMeant = (step: StepSpec) => step.type === 'Barrier' && step.skip !== 'Always' && identifierOf(step, scope) === identifier;
  return legsOf(plan, Math.max(1, waves.length)).flatMap(({ slots }, leg) =>
    stepsOf(slots)
      .filter(({ step }) => isMeant(step))
      .map(({ position }) => ({ leg, position })),
  );
}

/** What a barrier is called: those of the same name are one. */
export function identifierOf({ name, with: settings = {} }: Pick<StepSpec, 'name' | 'with'>, scope: ExpressionScope): string {
  const { identifier = name } = settings as { identifier?: unknown };
  try {
    return renderText(String(identifier), scope);
  } catch {
    return String(identifier);
  }
}

const reached: ReadonlySet<string> = new Set(['Waiting', 'Succeeded', 'Skipped']);

/** How a run stands to the so many-th time at a barrier. */
export function standingOf(run: RunWithStatus, identifier: string, time: number): Standing {
  const { phase, snapshot, waves, steps = [], engine } = run.status ?? {};
  const turns = turnsOf(run, identifier);
  const turn = turns[time];
  // Before clusters are resolved it is not known how many waves there are.
  if (!turn && snapshot && (waves !== undefined || turns.length === 0)) return 'None';
  if (phase === 'Succeeded') return 'Here';
  const record = turn && steps.find(one => one.round === 0 && one.leg === turn.leg && one.position === turn.position);
  if (turn && ((engine?.leg ?? 0) > turn.leg || (record && reached.has(record.status)))) return 'Here';
  return isTerminal(phase) || phase === 'RollingBack' ? 'Lost' : 'Coming';
}
