import type { KubeClient } from '../../../client/kube-client.ts';
import { failpoint } from '../../../runtime/failpoint.ts';
import { splitKey, type Key } from '../../../runtime/key.ts';
import type { OwnWrites } from '../../../runtime/own-writes.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import { ClusterRun } from '../kinds/cluster-run.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import type { NotificationRule } from '../kinds/workflow.ts';
import type { Hide } from '../logs/hide-secrets.ts';
import type { RunLogs } from '../logs/run-logs.ts';
import type { Herald } from '../notifications/herald.ts';
import { clusterRunObject } from './cluster-run-object.ts';
import { clusterRunsOf } from './gather-input.ts';
import { hideInHappening } from './hide-in-status.ts';
import { withStatus } from './run-facts.ts';
import { openOrders } from './run-orders.ts';
import type { RunStatus } from './run-status.ts';
import type { RunStep } from './run-step.ts';

export interface RunDeskDeps {
  readonly hub: KubeClient;
  readonly runs: OwnWrites<WorkflowRun>;
  readonly clusterRuns: OwnWrites<ClusterRun>;
  readonly herald: Herald;
  readonly logs: RunLogs;
}

/** Does what was decided about a run, and writes it down. */
export interface RunDesk {
  /** What the status of a run says in the log, and what it orders its clusters, where they do not have it yet. */
  carryOut(run: WorkflowRun, signal: AbortSignal): Promise<void>;
  /** Says what happens: before it is written down, so that it is not lost. */
  tell(run: WorkflowRun, step: RunStep, hide: Hide, signal: AbortSignal): Promise<void>;
  writeStatus(run: WorkflowRun, status: RunStatus, signal: AbortSignal): Promise<WorkflowRun>;
  askForPause(key: Key, signal: AbortSignal): Promise<void>;
}

const fieldManager = 'drover-workflow-runs';
const maxWritesAtOnce = 16;

export function runDesk({ hub, runs, clusterRuns, herald, logs }: RunDeskDeps): RunDesk {
  return {
    async carryOut(run, signal) {
      const known = withStatus(run);
      const { namespace = '', name = '', uid = '' } = run.metadata;
      for (const { step, id, lines } of known.status?.engine?.lines ?? [])
        logs.append({ namespace, name, uid }, { step, grant: id }, lines);
      const orders = openOrders(known.status?.engine?.orders ?? [], clusterRunsOf(clusterRuns, known));
      const writes = orders.flatMap(order => order.ids.map(id => clusterRunObject(known, id, order)));
      await mapBounded(writes, maxWritesAtOnce, async wanted => {
        const stranger = clusterRuns.get(`${wanted.metadata.namespace}/${wanted.metadata.name}`);
        if (stranger && stranger.spec.runRef.uid !== uid) throw new Error('the cluster still has its part of a run of the same name');
        clusterRuns.note(await hub.apply(ClusterRun, wanted, { fieldManager, signal }));
        failpoint('workflows.afterClusterRunSpec', orderTitle(name, wanted.spec));
      });
    },
    async tell(run, step, hide, signal) {
      signal.throwIfAborted();
      if (step.happenings.length === 0) return;
      const notifications = (step.status.snapshot?.workflow.spec['notifications'] ?? []) as unknown as NotificationRule[];
      await herald.tell(
        { run, workflow: run.spec.workflowRef.name, notifications },
        step.happenings.map(one => hideInHappening(one, hide)),
      );
      failpoint('workflows.afterEvents', `${run.metadata.name} ${step.happenings[0]!.event}`);
    },
    async writeStatus(run, status, signal) {
      const title = statusTitle(run.metadata.name ?? '', status);
      failpoint('workflows.beforeRunStatus', title);
      const next = { ...run, status: status as unknown as NonNullable<WorkflowRun['status']> };
      const answer = await hub.update(WorkflowRun, next, { subresource: 'status', fieldManager, signal });
      runs.note(answer);
      failpoint('workflows.afterRunStatus', title);
      return answer;
    },
    async askForPause(key, signal) {
      runs.note(
        await hub.patch(WorkflowRun, splitKey(key), { type: 'merge', body: { spec: { state: 'Pause' } } }, { fieldManager, signal }),
      );
    },
  };
}

/* How tests call what is done here. */

const orderTitle = (run: string, { grant, standing }: Pick<ClusterRun['spec'], 'grant' | 'standing'>): string =>
  [run, ...(grant?.isRollback === true ? ['back'] : []), standing?.state ?? grant?.type ?? ''].join(' ');

function statusTitle(run: string, { phase, steps = [] }: RunStatus): string {
  const last = steps.at(-1);
  return [run, phase ?? '', ...(last ? [last.type, last.status] : [])].join(' ');
}
