import { newObject } from '../../../api/define-kind.ts';
import { apiVersionOf } from '../../../api/object.ts';
import type { JsonObject } from '../../../util/json.ts';
import { requestFor } from '../approvals/request-approval.ts';
import { renderText } from '../expressions/render-text.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import type { ApprovalRequest } from '../kinds/approval-request.ts';
import { delivery } from '../kinds/group.ts';
import type { PipelineRun, Stage } from '../kinds/pipeline.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import type { PipelineFacts } from './pipeline-facts.ts';
import type { RequestOrder, RunOrder } from './pipeline-state.ts';

/** The run that a stage ordered. It goes with the run of the pipeline. */
export function stageRun(
  run: PipelineRun,
  { name, workflow, variables, artifacts, infrastructure }: RunOrder,
  context: JsonObject,
): WorkflowRun {
  const { namespace = '', name: pipelineRun = '', uid = '', annotations } = run.metadata;
  const { triggeredBy, triggeredByGroups } = deliveryAnnotations;
  const started = [triggeredBy, triggeredByGroups].flatMap(key =>
    annotations?.[key] === undefined ? [] : [[key, annotations[key]] as const],
  );
  const facts: PipelineFacts = { name: run.spec.pipelineRef.name, displayName: pipelineRun, uid, context };
  return newObject(
    WorkflowRun,
    {
      namespace,
      name,
      labels: { [deliveryLabels.pipelineRun]: labelOf(pipelineRun), [deliveryLabels.workflow]: labelOf(workflow) },
      annotations: {
        [deliveryAnnotations.pipeline]: JSON.stringify(facts),
        ...Object.fromEntries(started),
      },
      ownerReferences: [{ apiVersion: apiVersionOf(delivery), kind: 'PipelineRun', name: pipelineRun, uid, controller: true }],
    },
    {
      workflowRef: { name: workflow },
      ...(Object.keys(variables).length > 0 && { variables: { ...variables } }),
      ...(artifacts && { artifacts: [...artifacts] }),
      ...(infrastructure !== undefined && { infrastructureRef: infrastructure }),
    },
  );
}

const labelOf = (name: string): string => name.slice(0, 63).replace(/[^a-zA-Z0-9]+$/, '');

export interface Asking {
  readonly stage: Stage;
  readonly scope: ExpressionScope;
  /** Of the stage, for what its variables are unless somebody says otherwise. */
  readonly workflow: Workflow | undefined;
  readonly names: readonly string[];
}

/** The question that a stage ordered. */
export function stageRequest(
  run: PipelineRun,
  { place, expiresAt }: RequestOrder,
  { stage, scope, workflow, names }: Asking,
): ApprovalRequest {
  const { namespace = '', name = '', uid = '', annotations } = run.metadata;
  const startedBy = annotations?.[deliveryAnnotations.triggeredBy];
  const shared = { workflow: run.spec.pipelineRef.name, step: stage.name, expiresAt, ...(startedBy !== undefined && { startedBy }) };
  const by = { kind: 'PipelineRun' as const, namespace, name, uid };
  if (stage.approval) {
    const { timeout: _, message, ...deciders } = stage.approval;
    return requestFor(by, place, { ...shared, ...deciders, ...(message !== undefined && { message: renderText(message, scope) }) });
  }
  const { groups } = stage.runtimeInputs ?? {};
  const defaults = new Map((workflow?.spec.variables ?? []).map(one => [one.name, one.default]));
  const values = names.map(one => ({ name: one, value: stage.variables?.[one] ?? defaults.get(one) }));
  return requestFor(by, place, {
    ...shared,
    message: `Values for ${names.join(', ')}`,
    choices: ['Approve', 'Reject'],
    // Whoever starts a pipeline may also say what it is to do.
    selfApproval: true,
    ...(groups && { groups }),
    variables: values.map(({ name: one, value }) => ({ name: one, ...(value !== undefined && { value: renderText(value, scope) }) })),
  });
}
