import { at, forbidden, invalid, required, type FieldError } from '../../../api/field-error.ts';
import { faulty } from '../../../core/admission/answers.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { ScheduleError } from '../../../core/schedules/calendar-field.ts';
import { Pipeline } from '../kinds/pipeline.ts';
import type { Trigger, TriggerCondition } from '../kinds/trigger.ts';
import { Workflow } from '../kinds/workflow.ts';
import { scheduleTimes } from '../triggers/decide-schedule.ts';
import { expressionFaults, filterFaults, onlyOne } from './check-fields.ts';
import type { DeliveryWorld } from './delivery-world.ts';

const needs: Readonly<Record<string, readonly (keyof TriggerCondition)[]>> = {
  NewArtifact: ['service'],
  NewManifest: ['service'],
  Schedule: ['schedule'],
  Webhook: ['secretRef'],
  GitEvent: ['secretRef'],
  PipelineCompletion: ['pipeline'],
  ClusterJoined: ['infrastructureRef'],
};

/** A trigger starts runs for whoever made it: they must be allowed to. */
export async function reviewTrigger(request: AdmissionRequest, world: DeliveryWorld): Promise<AdmissionAnswer> {
  const { condition, action } = (request.object as Trigger).spec;
  const missing = (needs[condition.type] ?? []).filter(name => condition[name] === undefined || condition[name] === '');
  const faults = [
    ...missing.map(name => required(`spec.condition.${name}`, `${condition.type} needs it`)),
    ...(condition.schedule === undefined ? [] : scheduleFaults('spec.condition.schedule', condition.schedule, world.now)),
    ...onlyOne('spec.action', action, ['workflowRef', 'pipelineRef']),
    ...(condition.type === 'ClusterJoined' && action.pipelineRef
      ? [invalid('spec.action.pipelineRef', action.pipelineRef.name, 'what was last released is that of a workflow')]
      : []),
    ...filterFaults('spec.condition.tagFilter', condition.tagFilter),
    ...actionFaults(action),
  ];
  const resource = action.pipelineRef ? 'pipelineruns' : 'workflowruns';
  if (!(await world.may({ verb: 'create', resource, namespace: request.namespace })))
    faults.push(forbidden('spec.action', `you may not create ${resource} in namespace "${request.namespace}"`));
  // Whoever calls a webhook may give the others.
  if (faults.length === 0 && condition.type !== 'Webhook') faults.push(...(await variableFaults(request, action, world)));
  return faulty(request, faults);
}

/** What could never be started. */
function actionFaults({ variables = {}, artifacts = [] }: Trigger['spec']['action']): FieldError[] {
  return [
    ...Object.entries(variables).flatMap(([name, value]) => expressionFaults(at.key('spec.action.variables', name), value)),
    ...artifacts.flatMap(({ select, build = '' }, i) => {
      const field = at.child(at.index('spec.action.artifacts', i), 'build');
      return select === 'Build' && build === '' ? [required(field, 'Build needs it')] : expressionFaults(field, build);
    }),
  ];
}

export function scheduleFaults(field: string, schedule: string, now: Date): FieldError[] {
  try {
    scheduleTimes(schedule, now);
    return [];
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return [invalid(field, schedule, error.message)];
  }
}

async function variableFaults(
  { namespace }: AdmissionRequest,
  action: Trigger['spec']['action'],
  { get }: DeliveryWorld,
): Promise<FieldError[]> {
  const given = action.variables ?? {};
  const missing = async (workflow: string, also: readonly string[]): Promise<FieldError[]> => {
    const found = await get(Workflow, { namespace, name: workflow });
    const lacking = (found?.spec.variables ?? []).filter(
      one => one.required === true && one.default === undefined && given[one.name] === undefined && !also.includes(one.name),
    );
    return lacking.map(({ name }) => required(at.key('spec.action.variables', name), `workflow "${workflow}" needs it`));
  };
  if (action.workflowRef) return missing(action.workflowRef.name, []);
  const pipeline = await get(Pipeline, { namespace, name: action.pipelineRef!.name });
  const faults: FieldError[] = [];
  for (const { workflowRef, variables = {}, runtimeInputs } of pipeline?.spec.stages ?? []) {
    if (workflowRef) faults.push(...(await missing(workflowRef.name, [...Object.keys(variables), ...(runtimeInputs?.names ?? [])])));
  }
  return faults;
}
