import type { JsonObject } from '../../../util/json.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { runScope } from '../inputs/run-scope.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';
import type { PipelineDraft } from './pipeline-state.ts';

/** What expressions of stages stand for: the pipeline, its variables, and what earlier stages published. */
export function pipelineScope({ input, status, engine }: PipelineDraft): ExpressionScope {
  const { metadata, spec } = input.run;
  const name = metadata.name ?? '';
  return runScope(
    { app: engine.app, workflow: { name: '', description: '', spec: {} }, variables: status.variables ?? {} },
    {
      context: engine.context,
      pipeline: { name: spec.pipelineRef.name, displayName: name },
      run: {
        name,
        ...(status.startedAt !== undefined && { startedAt: status.startedAt }),
        ...(status.triggeredBy !== undefined && { triggeredBy: status.triggeredBy }),
        pipelineDeploymentUuid: metadata.uid ?? '',
        timestampId: String(Date.parse(metadata.creationTimestamp ?? '') || 0),
      },
    },
  );
}

/** What a run published for the whole pipeline. */
export function publishedOutputs(run: WorkflowRun): JsonObject {
  const snapshot = run.status?.snapshot as { readonly workflow?: { readonly spec?: Workflow['spec'] } } | undefined;
  const outputs = run.status?.outputs ?? {};
  const steps = (snapshot?.workflow?.spec?.phases ?? []).flatMap(phase => phase.groups ?? []).flatMap(group => group.steps ?? []);
  const names = steps.flatMap(step => (step.output?.scope === 'Pipeline' ? [step.output.name] : []));
  return Object.fromEntries(names.flatMap(name => (Object.hasOwn(outputs, name) ? [[name, outputs[name]!]] : [])));
}
