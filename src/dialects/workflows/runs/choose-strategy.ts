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

/** How much goes back, where a strategy is about less than the workflow. */
const narrower: Readonly<Record<NonNullable<FailureStrategy['scope']>, FailureAction>> = {
  Workflow: 'RollbackWorkflow',
  Phase: 'RollbackPhase',
  Wave: 'RollbackWave',
  Cluster: 'RollbackCluster',
};

/** An action as far as the strategy reaches. */
export const withinScope = ({ scope = 'Workflow' }: FailureStrategy, action: FailureAction): FailureAction =>
  action === 'RollbackWorkflow' ? narrower[scope] : action;

/** What is left of a strategy after some attempts. */
export function actionAfter(strategy: FailureStrategy, attempts: number): FailureAction {
  const { action, retry } = strategy;
  const isTried = action === 'Retry' && attempts > (retry?.count ?? 1);
  return withinScope(strategy, isTried ? (retry?.then ?? 'RollbackWorkflow') : action);
}

/** How long to wait before the attempt after so many. The last interval counts for all that follow. */
export function retryInterval({ retry }: FailureStrategy, attempts: number): string | undefined {
  const intervals = retry?.intervals ?? [];
  return intervals[Math.min(attempts, intervals.length) - 1];
}
