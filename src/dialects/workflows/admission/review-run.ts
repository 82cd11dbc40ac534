import { forbidden, invalid, notFound, type FieldError } from '../../../api/field-error.ts';
import { faulty, notAllowed } from '../../../core/admission/answers.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { jsonEqual } from '../../../util/json.ts';
import { PipelineRun } from '../kinds/pipeline.ts';
import { isTerminal, WorkflowRun } from '../kinds/workflow-run.ts';
import { withStatus } from '../runs/run-facts.ts';
import { runPlaces } from '../runs/run-places.ts';
import type { DeliveryWorld } from './delivery-world.ts';

const immutable = 'field is immutable';
const rollbackFrom = ['Failed', 'Aborted', 'RollbackFailed', 'Succeeded'];

export async function reviewWorkflowRun(request: AdmissionRequest, world: DeliveryWorld): Promise<AdmissionAnswer> {
  const next = request.object as WorkflowRun;
  const old = request.oldObject as WorkflowRun | undefined;
  const before = new Set(old?.spec.skipGates ?? []);
  const skipped = (next.spec.skipGates ?? []).filter(gate => !before.has(gate));
  if (skipped.length > 0 && !(await mayBypass(request, world)))
    return notAllowed(WorkflowRun, request, `skipGates needs the right to "bypass" workflowruns`);
  if (!old) return faulty(request, next.spec.mode === 'Preview' ? previewFaults(next) : []);
  const fixed = ['variables', 'artifacts', 'clusters', 'infrastructureRef', 'previewRef'] as const;
  return faulty(request, [
    ...fixed.filter(field => !jsonEqual(next.spec[field], old.spec[field])).map(field => invalid(`spec.${field}`, '…', immutable)),
    ...(await stateFaults(old, next, world)),
  ]);
}

const mayBypass = ({ namespace, name }: AdmissionRequest, { may }: DeliveryWorld): Promise<boolean> =>
  may({ verb: 'bypass', resource: 'workflowruns', namespace, name });

function previewFaults({ spec }: WorkflowRun): FieldError[] {
  return spec.state === 'Rollback' ? [invalid('spec.state', spec.state, 'a preview has nothing to roll back')] : [];
}

async function stateFaults(old: WorkflowRun, { spec }: WorkflowRun, world: DeliveryWorld): Promise<FieldError[]> {
  const state = spec.state ?? 'Run';
  if (state === (old.spec.state ?? 'Run')) return [];
  const wrong = (why: string): FieldError[] => [invalid('spec.state', state, why)];
  const { phase, startedAt } = old.status ?? {};
  if (spec.mode === 'Preview' && state === 'Rollback') return wrong('a preview has nothing to roll back');
  if (state === 'Initialize' && startedAt !== undefined) return wrong('the run has begun already');
  if (!isTerminal(phase)) return [];
  if (state !== 'Rollback' || !rollbackFrom.includes(phase!)) return wrong(`the run is ${phase}: it is over; "drover run" starts another`);
  return phase === 'Succeeded' && !(await isNewest(old, world))
    ? wrong('a newer run has taken the place of this one: roll that back, or run again')
    : [];
}

/** Whether no later run of the same release took its place, by the same rules as the runs themselves. */
async function isNewest(run: WorkflowRun, { list }: DeliveryWorld): Promise<boolean> {
  const places = runPlaces();
  for (const one of await list(WorkflowRun)) places.note(withStatus(one));
  return places.factsFor(withStatus(run)).isNewest;
}

const resumable = ['Failed', 'Rejected', 'Aborted', 'Expired'];

export async function reviewPipelineRun(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const next = request.object as PipelineRun;
  const old = request.oldObject as PipelineRun | undefined;
  if (!old) return faulty(request, next.spec.resumeFrom ? [forbidden('spec.resumeFrom', 'only a run that failed can be resumed')] : []);
  const fixed = ['variables', 'artifacts'] as const;
  const { phase, stages = [] } = old.status ?? {};
  const { resumeFrom = '', state = 'Run' } = next.spec;
  const isResumed = resumeFrom !== '' && resumeFrom !== (old.spec.resumeFrom ?? '');
  const isChanged = state !== (old.spec.state ?? 'Run');
  const mayChange = isResumed || (state === 'Rollback' && phase !== 'RolledBack');
  return faulty(request, [
    ...fixed.filter(field => !jsonEqual(next.spec[field], old.spec[field])).map(field => invalid(`spec.${field}`, '…', immutable)),
    ...(isResumed && !resumable.includes(phase ?? '')
      ? [invalid('spec.resumeFrom', resumeFrom, 'only a run that failed can be resumed')]
      : []),
    ...(isResumed && !stages.some(({ name }) => name === resumeFrom) ? [notFound('spec.resumeFrom', resumeFrom)] : []),
    ...(isChanged && isTerminal(phase) && !mayChange
      ? [invalid('spec.state', state, `the run is ${phase}: it is over; "drover run" starts another`)]
      : []),
  ]);
}

/** What one cluster does in a run is decided by the run. */
export async function reviewClusterRun(request: AdmissionRequest): Promise<AdmissionAnswer> {
  const { object, oldObject } = request;
  if (oldObject && jsonEqual(object?.['spec'], oldObject['spec'])) return {};
  return faulty(request, [forbidden('spec', 'only the hub writes ClusterRuns; change the WorkflowRun')]);
}
