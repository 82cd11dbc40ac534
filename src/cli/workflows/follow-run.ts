import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { ClusterRun } from '../../dialects/workflows/kinds/cluster-run.ts';
import { PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import { WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { deliveryLabels } from '../../dialects/workflows/names.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import type { RunKind } from './delivery-argument.ts';
import { livePicture } from './live-picture.ts';
import { viewOfPipeline, viewOfRun, type RunView } from './run-view.ts';
import { deadlineIn } from '../../util/timer-limits.ts';

export interface FollowedRun {
  readonly kind: RunKind;
  readonly namespace: string;
  readonly name: string;
  readonly title: string;
}

export interface FollowOptions {
  readonly timeoutMs?: number | undefined;
  /** Otherwise what is there already is not news. */
  readonly isNew?: boolean;
}

const maxLabelLength = 63;

/** Shows a run until it is over, as it goes, and answers how it ended. */
export async function followRun(
  hub: KubeClient,
  run: FollowedRun,
  terminal: Terminal,
  { timeoutMs, isNew = true }: FollowOptions = {},
): Promise<WorkflowRun | PipelineRun> {
  const { kind, namespace, name, title } = run;
  const stop = new AbortController();
  const late = timeoutMs === undefined ? undefined : deadlineIn(timeoutMs);
  const signal = AbortSignal.any([terminal.signal, stop.signal, ...(late ? [late] : [])]);
  const ended = Promise.withResolvers<WorkflowRun | PipelineRun>();
  const itself = informer(hub, kind as typeof WorkflowRun, {
    signal,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    // A hub that restarts is there again in a moment; one that refuses will refuse again.
    onError: error => {
      if (error instanceof StatusError && [401, 403, 404].includes(error.code)) ended.reject(error);
    },
  });
  const isPipeline = kind.kind === PipelineRun.kind;
  const parts = isPipeline ? labelled(WorkflowRun, deliveryLabels.pipelineRun) : labelled(ClusterRun, deliveryLabels.run);
  const picture = livePicture(terminal, isNew);
  signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
  try {
    await Promise.all([itself.synced, parts.synced]).catch(() => {});
    using _itself = itself.subscribe(look);
    using _parts = parts.subscribe(look);
    look();
    return await ended.promise;
  } catch (error) {
    if (late?.aborted && !terminal.signal.aborted)
      throw new CommandError(`${title} was not over in time`, {
        exitCode: exitCodes.timedOut,
        hint: 'it goes on; "drover runs" shows how far it is',
      });
    throw error;
  } finally {
    picture.end();
    stop.abort();
  }

  function labelled<T extends KubeObject>(partKind: Parameters<typeof informer<T>>[1], label: string): Informer<T> {
    const isNamed = name.length <= maxLabelLength;
    return informer<T>(hub, partKind, { signal, namespace, ...(isNamed && { labelSelector: `${label}=${name}` }) });
  }

  function look(): void {
    const present = itself.get(`${namespace}/${name}`);
    if (!present) return itself.hasSynced ? ended.reject(new CommandError(`${title} was removed`)) : undefined;
    const view = viewNow(present);
    picture.show(view);
    if (view.isOver) ended.resolve(present);
  }

  function viewNow(present: WorkflowRun | PipelineRun): RunView {
    if (isPipeline) return viewOfPipeline(present as PipelineRun, parts.list() as WorkflowRun[], title);
    const own = (parts.list() as ClusterRun[]).filter(one => one.spec.runRef.name === name);
    return viewOfRun(present as WorkflowRun, own, title);
  }
}
