import { badRequest, StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { hasExpressions } from '../expressions/render-text.ts';
import type { FreezeDesk, FreezeSubject } from '../freezes/freeze-desk.ts';
import { InputError } from '../inputs/input-error.ts';
import { workflowVariables } from '../inputs/workflow-variables.ts';
import type { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import type { Pipeline, Stage } from '../kinds/pipeline.ts';
import { Environment, type ServiceDefinition } from '../kinds/service-definition.ts';
import type { Trigger } from '../kinds/trigger.ts';
import type { Workflow, WorkflowVariable } from '../kinds/workflow.ts';
import { groupsOf } from '../pipelines/pipeline-state.ts';

export interface ForesightDeps {
  readonly hub: KubeClient;
  readonly workflows: Informer<Workflow>;
  readonly pipelines: Informer<Pipeline>;
  readonly services: Informer<ServiceDefinition>;
  readonly infrastructures: Informer<InfrastructureDefinition>;
  readonly freezes: FreezeDesk;
  readonly signal: AbortSignal;
}

/** A run of a workflow that a trigger will make, by itself or as a stage. */
interface Foreseen {
  readonly workflow: string;
  /** Empty: that of the workflow. */
  readonly infrastructures: readonly string[];
  /** Variables whose values come from elsewhere. */
  readonly settled: readonly string[];
  readonly isFirst: boolean;
  readonly isStage: boolean;
}

/** What can be told of a start before it is made: whoever calls hears at once what the run would say later. */
export function foreseeStart({ hub, workflows, pipelines, services, infrastructures, freezes, signal }: ForesightDeps) {
  return { checkVariables, checkFreezes };

  /** Throws 400. */
  function checkVariables(trigger: Trigger, given: Readonly<Record<string, string>>): void {
    const parts = foreseen(trigger).map(part => ({ ...part, spec: workflowOf(trigger, part.workflow).spec }));
    const pipeline = pipelineOf(trigger);
    if (pipeline) checkKnown(trigger, pipeline, given);
    for (const { spec, settled, isStage } of parts) {
      // A pipeline gives its workflows what they have, and leaves what is fixed.
      const declared = (spec.variables ?? []).filter(one => !settled.includes(one.name) && !(isStage && one.fixed === true));
      const own = isStage ? Object.entries(given).filter(([name]) => declared.some(one => one.name === name)) : Object.entries(given);
      try {
        workflowVariables(declared.map(withoutExpressions), Object.fromEntries(own), {
          also: name => hasServiceVariable(trigger, spec, name),
          render: text => text,
        });
      } catch (error) {
        if (error instanceof InputError) throw badRequest(error.message);
        throw error;
      }
    }
  }

  /** What none of the workflows has, and no expression of the pipeline, is a mistake. */
  function checkKnown(trigger: Trigger, { spec }: Pipeline, given: Readonly<Record<string, string>>): void {
    const names = spec.stages.flatMap(({ workflowRef }) => workflowRef?.name ?? []);
    if (names.some(hasExpressions)) return;
    const text = JSON.stringify(spec);
    const specs = names.map(name => workflowOf(trigger, name).spec);
    for (const name of Object.keys(given)) {
      const isKnown = specs.some(one => one.variables?.some(own => own.name === name) || hasServiceVariable(trigger, one, name));
      if (!isKnown && !text.includes(`workflow.variables.${name}`))
        throw badRequest(`No workflow of the pipeline has a variable "${name}"`);
    }
  }

  function hasServiceVariable({ metadata }: Trigger, { serviceRef = '' }: Workflow['spec'], name: string): boolean {
    if (hasExpressions(serviceRef)) return true;
    return (services.get(`${metadata.namespace}/${serviceRef}`)?.spec.variables ?? []).some(own => own.name === name);
  }

  /** Of what begins at once; later stages wait by themselves. Throws 409. */
  async function checkFreezes(trigger: Trigger, groups: readonly string[], now: Date): Promise<void> {
    const { namespace = '' } = trigger.metadata;
    for (const { workflow, infrastructures: own, isFirst } of foreseen(trigger)) {
      if (!isFirst) continue;
      const spec = workflows.get(`${namespace}/${workflow}`)?.spec;
      for (const infrastructure of own.length > 0 ? own : [spec?.infrastructureRef ?? '']) {
        const subject = { namespace, workflow, groups, ...(await environmentOf(namespace, spec?.environmentRef, infrastructure)) };
        const { isOpen, message } = freezes.freezeFor(subject, now);
        if (!isOpen) throw new StatusError(409, 'Conflict', message ?? 'a freeze is in force');
      }
    }
  }

  /** Where a run would go, as far as that can be told before it is made. */
  async function environmentOf(
    namespace: string,
    environmentRef: string | undefined,
    infrastructure: string,
  ): Promise<Pick<FreezeSubject, 'environment' | 'environmentType'>> {
    const name = environmentRef ?? infrastructures.get(`${namespace}/${infrastructure}`)?.spec.environmentRef ?? '';
    if (name === '' || hasExpressions(name)) return {};
    const found = await hub.get(Environment, { namespace, name }, { signal });
    return { environment: name, ...(found && { environmentType: found.spec.type }) };
  }

  function foreseen(trigger: Trigger): Foreseen[] {
    const { workflowRef, variables = {} } = trigger.spec.action;
    const taken = Object.keys(variables);
    if (workflowRef) return [{ workflow: workflowRef.name, infrastructures: [], settled: taken, isFirst: true, isStage: false }];
    const { stages } = pipelineOf(trigger)?.spec ?? { stages: [] };
    const first = groupsOf(stages)[0] ?? [];
    return stages.flatMap((stage, i) => foreseenStage(stage, taken, first.includes(i)));
  }

  function pipelineOf({ metadata, spec }: Trigger): Pipeline | undefined {
    const { name } = spec.action.pipelineRef ?? {};
    if (name === undefined) return undefined;
    const found = pipelines.get(`${metadata.namespace}/${name}`);
    if (!found) throw badRequest(`there is no pipeline ${JSON.stringify(name)}`);
    return found;
  }

  function workflowOf({ metadata }: Trigger, name: string): Workflow {
    const found = workflows.get(`${metadata.namespace}/${name}`);
    if (!found) throw badRequest(`there is no workflow ${JSON.stringify(name)}`);
    return found;
  }
}

/** Nothing is told of stages that are left out, and of workflows whose name is known only later. */
function foreseenStage(
  { workflowRef, skip, variables = {}, runtimeInputs, infrastructureRefs = [] }: Stage,
  taken: readonly string[],
  isFirst: boolean,
): Foreseen[] {
  if (!workflowRef || skip === 'Always' || hasExpressions(workflowRef.name)) return [];
  const settled = [...taken, ...Object.keys(variables), ...(runtimeInputs?.names ?? [])];
  return [{ workflow: workflowRef.name, infrastructures: infrastructureRefs, settled, isFirst, isStage: true }];
}

/** What a default comes to is known only to the run. */
function withoutExpressions(variable: WorkflowVariable): WorkflowVariable {
  if (!hasExpressions(variable.default ?? '')) return variable;
  const { default: _, ...rest } = variable;
  return { ...rest, required: false };
}
