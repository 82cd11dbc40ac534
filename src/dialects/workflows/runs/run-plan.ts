import { jobPlaceOf } from '../kinds/gate.ts';
import type { GroupSpec, PhaseSpec, StepSpec } from './generate-phases.ts';

/** A step with its place in the run. */
export interface PlacedStep {
  readonly step: StepSpec;
  readonly phase: PhaseSpec;
  readonly group: GroupSpec;
  /** Counted over all phases, those of rollbacks after all others. */
  readonly position: number;
}

/** Steps that go on at the same time. */
export interface Slot {
  readonly steps: readonly PlacedStep[];
}

/** What a wave does before the next one begins. */
export interface Leg {
  /** Index of the wave. */
  readonly wave: number;
  readonly slots: readonly Slot[];
}

export interface RunPlan {
  readonly phases: readonly PhaseSpec[];
  readonly scope: 'PerWave' | 'PerPhase';
  /** By phase. */
  readonly forward: readonly (readonly Slot[])[];
  readonly rollback: readonly (readonly Slot[])[];
}

const hubSteps: ReadonlySet<string> = new Set([
  'ResolveClusters',
  'HTTP',
  'Approval',
  'Wait',
  'Analysis',
  'Barrier',
  'Window',
  'Expression',
]);

/** Whether a step is done on clusters, and not by the hub once for a wave. */
export function isMemberStep({ type, with: settings = {} }: StepSpec): boolean {
  if (type === 'Job') return jobPlaceOf(settings) !== 'Hub';
  return !hubSteps.has(type);
}

export function planRun(phases: readonly PhaseSpec[], scope: RunPlan['scope'] = 'PerWave'): RunPlan {
  let position = 0;
  const slotsOf = (phase: PhaseSpec, groups: readonly GroupSpec[]): Slot[] =>
    groups.flatMap(group => {
      const steps = group.steps.map(step => ({ step, phase, group, position: position++ }));
      if (group.parallel !== true) return steps.map(one => ({ steps: [one] }));
      return steps.length > 0 ? [{ steps }] : [];
    });
  const forward = phases.map(phase => slotsOf(phase, phase.groups));
  const rollback = phases.map(phase => slotsOf(phase, phase.rollback));
  return { phases, scope, forward, rollback };
}

/** The way forward: all phases in each wave, or each phase over all waves. */
export function legsOf({ scope, forward }: RunPlan, waveCount: number): Leg[] {
  const waves = Array.from({ length: waveCount }, (_, wave) => wave);
  if (scope === 'PerWave') return waves.map(wave => ({ wave, slots: forward.flat() }));
  return forward.flatMap(slots => waves.map(wave => ({ wave, slots })));
}

export const stepsOf = (slots: readonly Slot[]): PlacedStep[] => slots.flatMap(slot => slot.steps);

/** All steps that clusters do on the way forward, in order. */
export const memberSteps = ({ forward }: RunPlan): PlacedStep[] => stepsOf(forward.flat()).filter(({ step }) => isMemberStep(step));

/** The steps with which phases are put back, in the order in which the phases are named. */
export function rollbackSlots({ phases, rollback }: RunPlan, names: readonly string[]): Slot[] {
  return names.flatMap(name => rollback[phases.findIndex(one => one.name === name)] ?? []);
}

/** The step that finds the clusters; later ones of its kind find that it is done. */
export const resolvingStep = ({ forward }: RunPlan): PlacedStep | undefined =>
  stepsOf(forward.flat()).find(({ step }) => step.type === 'ResolveClusters');
