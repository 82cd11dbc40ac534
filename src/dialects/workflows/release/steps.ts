import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { MemberStepType } from '../kinds/step.ts';
import { beginApply, endApply } from './apply-files.ts';
import { beginCanary, endCanary, neededOfCanary } from './canary.ts';
import { beginDelete, endDelete } from './delete.ts';
import { cannotInherit, exportManifests, initializeLines } from './initialize.ts';
import { neededListsOfRollback } from './legacy-rollback.ts';
import { beginRolling, endRolling, neededOfRolling } from './rolling.ts';
import { beginRollback, endRollback, neededOfRollback } from './rolling-rollback.ts';
import { beginScale, endScale, neededOfScale } from './scale.ts';
import { beginStage, endStage, neededOfStage } from './stage.ts';
import { unitLog } from './step-log.ts';
import type { BeginStep, EndStep, NeededOf, NextWork, OfflineInput, StepBegin, StepInput } from './step.ts';
import { beginSwap, endSwap, neededOfSwap } from './swap.ts';
import { beginTrafficSplit, endTrafficSplit } from './traffic-split.ts';

interface MemberStep {
  readonly needed?: (input: OfflineInput) => readonly ObjectRef[];
  readonly begin: (input: StepInput) => StepBegin;
  readonly end: (input: StepInput, result: 'steady' | 'failed') => NextWork;
  /** Whether it deploys the manifests of the service. */
  readonly deploys?: true;
}

const steps: Readonly<Record<MemberStepType, MemberStep>> = {
  RollingDeploy: { needed: neededOfRolling, begin: beginRolling, end: endRolling, deploys: true },
  RollingRollback: { needed: neededOfRollback, begin: beginRollback, end: endRollback },
  CanaryDeploy: { needed: neededOfCanary, begin: beginCanary, end: endCanary, deploys: true },
  Delete: { begin: beginDelete, end: endDelete },
  StageDeploy: { needed: neededOfStage, begin: beginStage, end: endStage, deploys: true },
  SwapServices: { needed: neededOfSwap, begin: beginSwap, end: endSwap },
  Scale: { needed: neededOfScale, begin: beginScale, end: endScale },
  Apply: { begin: beginApply, end: endApply },
  TrafficSplit: { begin: beginTrafficSplit, end: endTrafficSplit },
};

export const neededOf: NeededOf = (type, input) => steps[type].needed?.(input) ?? [];

/** What must be listed besides, of all objects of a kind in a namespace. Members that cannot be asked are not. */
export const neededListsOf = (type: MemberStepType, input: OfflineInput): readonly Omit<ObjectRef, 'name'>[] =>
  type === 'RollingRollback' ? neededListsOfRollback(input) : [];

export const beginStep: BeginStep = (type, input) => {
  const step = steps[type];
  if (!step.deploys) return step.begin(input);
  if (input.with['exportManifests'] === true) return exportManifests(type, input);
  const fault = input.with['inheritManifests'] === true ? cannotInherit(type, input) : undefined;
  if (fault !== undefined) return { outcome: 'failed', message: fault, lines: unitLog('Initialize').error(fault).failed().lines };
  const begun = step.begin(input);
  return { ...begun, lines: [...initializeLines(input), ...begun.lines] };
};

export const endStep: EndStep = (type, input, result) => steps[type].end(input, result);
