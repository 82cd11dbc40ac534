import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import { WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { CommandError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import { titleOf, type DeliveryOptions, type NamedRun, type RunKind } from './delivery-argument.ts';

export interface FoundRun {
  readonly kind: RunKind;
  readonly run: WorkflowRun | PipelineRun;
  readonly namespace: string;
  readonly name: string;
  readonly title: string;
}

/** The run that is meant: one of a workflow, else one of a pipeline. */
export async function findRun(
  hub: HubConnection,
  { kinds, name }: NamedRun,
  options: DeliveryOptions,
  signal: AbortSignal,
): Promise<FoundRun> {
  const namespace = options.namespace ?? hub.namespace;
  for (const kind of kinds) {
    const run = await hub.client.get(kind as KindRef<KubeObject>, { namespace, name }, { signal });
    if (run) return { kind, run: run as FoundRun['run'], namespace, name, title: titleOf(kind, name) };
  }
  throw new CommandError(`there is no run ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)}`, {
    hint: `"drover runs${options.namespace === undefined ? '' : ` -n ${namespace}`}" lists those there are`,
  });
}

export const isWorkflowRun = (found: FoundRun): found is FoundRun & { readonly run: WorkflowRun } => found.kind.kind === WorkflowRun.kind;
