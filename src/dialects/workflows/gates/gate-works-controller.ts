import { Work } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, splitKey, type Key } from '../../../runtime/key.ts';
import { isTerminal, type WorkflowRun } from '../kinds/workflow-run.ts';
import { deliveryLabels } from '../names.ts';

export interface GateWorksDeps {
  readonly hub: KubeClient;
  readonly runs: Informer<WorkflowRun>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly signal: AbortSignal;
}

/** Jobs of gates leave the members when their run is over. */
export function runGateWorks({ hub, runs, works, signal }: GateWorksDeps): RunningController {
  const uidOf = ({ metadata }: Work) => metadata.labels?.[deliveryLabels.gate];
  const worksOf = ({ metadata }: WorkflowRun) => works.by('label', `${deliveryLabels.gate}=${metadata.uid}`).map(keyOf);
  return runController(
    { name: 'workflow-gate-works', reconcile },
    {
      triggers: [
        changesOf(runs, worksOf, ({ status }) => isTerminal(status?.phase)),
        changesOf(works, work => (uidOf(work) === undefined ? [] : [keyOf(work)]), uidOf),
      ],
      signal,
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const work = works.get(key);
    if (!work || uidOf(work) === undefined || work.metadata.deletionTimestamp !== undefined) return settled;
    const isWanted = runs.list().some(({ metadata, status }) => metadata.uid === uidOf(work) && !isTerminal(status?.phase));
    if (!isWanted) await hub.delete(Work, splitKey(key), { signal: ctx.signal });
    return settled;
  }
}
