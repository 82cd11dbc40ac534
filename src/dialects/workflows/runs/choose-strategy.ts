import type { FailureAction, FailureStrategy } from '../kinds/step.ts';
import type { PlacedStep } from './run-plan.ts';

/** Of workflows that name none. */
const standard: readonly FailureStrategy[] = [{ failureTypes: ['ApplicationError'], scope: 'Workflow', action: 'RollbackWorkflow' }];
/** Of failures that no strategy is about: what was deployed is put back, and the run has failed. */
const otherwise: FailureStrategy = { action: 'EndExecution' };

/** What is to be done about failures: the first entry that is about one of them, in the list of the step, then of its group, its phase, the workflow. */
export function chooseStrategy(
  failureTypes: readonly string[],
  placed: PlacedStep | undefined,
  ofWorkflow: readonly FailureStrategy[] = [],
): FailureStrategy {
  const lists = [
    placed?.step.failureStrategies ?? [],
    placed?.group.failureStrategies ?? [],
    placed?.phase.failureStrategies ?? [],
    ofWorkflow.length > 0 ? ofWorkflow : standard,
  ];
  for (const list of lists) {
    const found = list.find(one => isAbout(one, failureTypes, placed?.step.name));
    if (found) return found;
  }
  return otherwise;
}

function isAbout({ failureTypes = [], specificSteps = [] }: FailureStrategy, types: readonly string[], step: string | undefined): boolean {
  if (specificSteps.length > 0 && (step === undefined || !specificSteps.includes(step))) return false;
  return failureTypes.length === 0 || failureTypes.some(one => types.includes(one));
}

/** What is left of a strategy after some attempts. */
export function actionAfter({ action, retry }: FailureStrategy, attempts: number): FailureAction {
  if (action !== 'Retry' || attempts <= (retry?.count ?? 1)) return action;
  return retry?.then ?? 'RollbackWorkflow';
}

/** How long to wait before the attempt after so many. The last interval counts for all that follow. */
export function retryInterval({ retry }: FailureStrategy, attempts: number): string | undefined {
  const intervals = retry?.intervals ?? [];
  return intervals[Math.min(attempts, intervals.length) - 1];
}
