import type { KubeClient } from '../../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { jsonEqual } from '../../../util/json.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import { Workflow } from '../kinds/workflow.ts';

export interface WorkflowSummariesDeps {
  readonly hub: KubeClient;
  readonly workflows: Informer<Workflow>;
  readonly runs: Informer<WorkflowRun>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-workflow-runs';

/** Says of Workflows what became of their newest run. */
export function runWorkflowSummaries({ hub, workflows, runs, signal }: WorkflowSummariesDeps): RunningController {
  const workflowOf = ({ metadata, spec }: WorkflowRun) => [`${metadata.namespace}/${spec.workflowRef.name}`];
  return runController(
    { name: 'workflow-summaries', reconcile },
    {
      triggers: [changesOf(workflows), changesOf(runs, workflowOf, ({ status }) => [status?.phase, status?.releaseNo])],
      signal,
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const workflow = workflows.get(key);
    if (!workflow || workflow.metadata.deletionTimestamp !== undefined) return settled;
    const { namespace = '', name = '' } = workflow.metadata;
    const own = runs.list().filter(run => workflowOf(run)[0] === key && run.status?.releaseNo !== undefined);
    const newest = own.toSorted((a, b) => b.status!.releaseNo! - a.status!.releaseNo!)[0];
    const before = workflow.status ?? {};
    const releaseNo = Math.max(before.releaseNo ?? 0, newest?.status?.releaseNo ?? 0);
    const status = {
      ...(releaseNo > 0 && { releaseNo }),
      ...(newest && { lastRun: newest.metadata.name!, lastPhase: newest.status?.phase ?? '' }),
    };
    // Who judges the workflow says which generation that is about.
    const { conditions: _conditions, observedGeneration: _seen, ...said } = before;
    if (!jsonEqual(said, status))
      await hub.apply(Workflow, { metadata: { namespace, name }, status }, { subresource: 'status', fieldManager, signal: ctx.signal });
    return settled;
  }
}
