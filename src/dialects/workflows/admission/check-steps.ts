import { at, duplicate, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import { durationMs } from '../../../util/duration.ts';
import { isJsonObject } from '../../../util/json.ts';
import { failureActions, failureTypes, stepTypes, type FailureStrategy, type Phase, type Step, type StepGroup } from '../kinds/step.ts';
import { isMemberStep } from '../runs/run-plan.ts';
import { conditionFaults, expressionFaults } from './check-fields.ts';
import { gateFaults } from './check-gate.ts';

const minTimeoutMs = 60_000;
const gateSteps = ['Approval', 'Wait', 'HTTP', 'Analysis', 'Job'];

/** What is wrong with the steps of a workflow. Of rollbacks nothing is known from the schema. */
export function phaseFaults(phases: readonly Phase[], path = 'spec.phases'): FieldError[] {
  const faults: FieldError[] = [];
  const names = new Set<string>();
  let isResolved = false;
  for (const [i, phase] of phases.entries()) {
    const here = at.index(path, i);
    if (names.has(phase.name)) faults.push(duplicate(at.child(here, 'name'), phase.name));
    names.add(phase.name);
    faults.push(...strategyFaults(at.child(here, 'failureStrategies'), phase.failureStrategies));
    const forward = groupsOf(phase.groups);
    for (const { step, field, group } of placed(at.child(here, 'groups'), forward)) {
      faults.push(...stepFaults(field, step, group));
      if (step.type === 'ResolveClusters') isResolved = true;
      else if (isOnClusters(step) && !isResolved)
        faults.push(invalid(at.child(field, 'type'), step.type, 'there must be a step ResolveClusters before it'));
    }
    faults.push(...canaryFaults(at.child(here, 'groups'), forward));
    faults.push(...rollbackFaults(at.child(here, 'rollback'), phase.rollback));
  }
  return faults;
}

const isOnClusters = (step: Step): boolean =>
  stepTypes.some(type => type === step.type) && isMemberStep({ ...step, name: step.name ?? '' } as never);

const groupsOf = (groups: readonly StepGroup[] | undefined): readonly StepGroup[] => groups ?? [];

function placed(path: string, groups: readonly StepGroup[]) {
  return groups.flatMap((group, i) =>
    (group.steps ?? []).map((step, j) => ({ step, group, field: at.index(at.child(at.index(path, i), 'steps'), j) })),
  );
}

function canaryFaults(path: string, groups: readonly StepGroup[]): FieldError[] {
  const canaries = placed(path, groups).filter(({ step }) => step.type === 'CanaryDeploy');
  return canaries
    .slice(1)
    .map(({ field }) => invalid(at.child(field, 'type'), 'CanaryDeploy', 'a phase has one step CanaryDeploy at most'));
}

function rollbackFaults(path: string, groups: unknown): FieldError[] {
  if (groups === undefined) return [];
  if (!Array.isArray(groups)) return [invalid(path, '…', 'must be a list of groups')];
  return groups.flatMap((group: unknown, i) => {
    const here = at.index(path, i);
    if (!isJsonObject(group) || typeof group['name'] !== 'string') return [required(at.child(here, 'name'))];
    const steps = group['steps'] ?? [];
    if (!Array.isArray(steps)) return [invalid(at.child(here, 'steps'), '…', 'must be a list of steps')];
    return steps.flatMap((step, j) => {
      const field = at.index(at.child(here, 'steps'), j);
      return isJsonObject(step)
        ? stepFaults(field, step as unknown as Step, group as unknown as StepGroup)
        : [invalid(field, '…', 'must be a step')];
    });
  });
}

function stepFaults(field: string, step: Step, group: StepGroup): FieldError[] {
  const { type, timeout, skip, with: settings = {} } = step;
  if (!stepTypes.includes(type)) return [notSupported(at.child(field, 'type'), type, stepTypes)];
  const { exportManifests, inheritManifests } = settings as Record<string, unknown>;
  return [
    ...(timeout !== undefined && durationMs(timeout) < minTimeoutMs
      ? [invalid(at.child(field, 'timeout'), timeout, 'must be at least 1m')]
      : []),
    ...(exportManifests === true && inheritManifests === true
      ? [invalid(at.child(field, 'with'), 'exportManifests, inheritManifests', 'a step exports manifests or inherits them, not both')]
      : []),
    ...(group.parallel === true && isOnClusters(step)
      ? [invalid(at.child(field, 'type'), type, 'steps on clusters cannot be done in parallel')]
      : []),
    ...skipFaults(at.child(field, 'skip'), skip),
    ...(type === 'Barrier' ? barrierFaults(at.child(field, 'with', 'identifier'), settings) : []),
    ...(gateSteps.includes(type) ? gateFaults(at.child(field, 'with'), { type, timeout, fields: settings }) : []),
    ...strategyFaults(at.child(field, 'failureStrategies'), step.failureStrategies),
  ];
}

function barrierFaults(field: string, { identifier }: Readonly<Record<string, unknown>>): FieldError[] {
  if (identifier === undefined) return [];
  if (typeof identifier !== 'string' || identifier === '') return [invalid(field, identifier, 'must be a name')];
  return expressionFaults(field, identifier);
}

function skipFaults(field: string, skip: unknown): FieldError[] {
  if (skip === undefined || skip === 'Always') return [];
  if (!isJsonObject(skip) || typeof skip['when'] !== 'string') return [invalid(field, skip, 'must be "Always" or {when: an expression}')];
  return conditionFaults(at.child(field, 'when'), skip['when']);
}

export function strategyFaults(path: string, strategies: readonly FailureStrategy[] | undefined): FieldError[] {
  if (strategies === undefined) return [];
  if (!Array.isArray(strategies)) return [invalid(path, '…', 'must be a list')];
  return (strategies as readonly FailureStrategy[]).flatMap(({ action, failureTypes: types = [], retry }, i) => {
    const here = at.index(path, i);
    const unknown = types.filter(type => !failureTypes.includes(type));
    return [
      ...(failureActions.includes(action) ? [] : [notSupported(at.child(here, 'action'), action, failureActions)]),
      ...unknown.map(type => notSupported(at.child(here, 'failureTypes'), type, failureTypes)),
      ...(action === 'Retry' && retry?.count === undefined
        ? [required(at.child(here, 'retry'), 'Retry needs to know how many times')]
        : []),
      ...(retry?.then === 'Retry' ? [invalid(at.child(here, 'retry', 'then'), 'Retry', 'would have no end')] : []),
    ];
  });
}
