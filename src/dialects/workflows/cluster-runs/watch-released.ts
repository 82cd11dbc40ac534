import { findCondition, withConditions } from '../../../api/conditions.ts';
import { workConditions, type Work } from '../../../api/work.ts';
import { UnreachableError } from '../../../client/transport.ts';
import { requeue, settled, type Context, type Outcome } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { jsonEqual } from '../../../util/json.ts';
import type { ClusterRun } from '../kinds/cluster-run.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import type { Herald } from '../notifications/herald.ts';
import { refLine } from '../release/step-log.ts';
import type { stepExecutor } from './execute-step.ts';
import { workNameOf } from './held-work.ts';
import type { MemberSight } from './member-sight.ts';
import type { ClusterRunStatus } from './next-cluster-run.ts';
import { countRestarts, nextSoak } from './soak-cluster.ts';
import type { StepContext } from './step-context.ts';
import { markOf } from './work-mark.ts';

export interface ReleasedClusterWatchDeps {
  readonly works: Informer<Work>;
  readonly sight: MemberSight;
  readonly executor: Pick<ReturnType<typeof stepExecutor>, 'scaleDown'>;
  readonly herald: Herald;
  write(clusterRun: ClusterRun, status: ClusterRunStatus, ctx: Context): Promise<unknown>;
}

const soakEveryMs = 10_000;

/** What is left to do for a cluster for which nothing is granted just now: it may soak, drift, or have an old colour to be scaled down. */
export function releasedClusterWatch({ works, sight, executor, herald, write }: ReleasedClusterWatchDeps) {
  return watchReleased;

  async function watchReleased(clusterRun: ClusterRun, run: WorkflowRun, context: StepContext, ctx: Context): Promise<Outcome> {
    const status = clusterRun.status ?? {};
    const work = works.get(`${context.cluster.id}/${workNameOf(context.release)}`);
    const isMine = markOf(work)?.runUid === context.run.uid;
    const isSoaking = status.phase === 'Soaking';
    const { drift: _drift, ...before } = status;
    const next: ClusterRunStatus = { ...before, ...(isMine ? drifted(clusterRun, work, ctx.now) : leftBehind(status)) };
    if (isSoaking) next.soak = nextSoak(status.soak, { work, restarts: await restartsOf(context, ctx.signal), now: ctx.now });
    else delete next.soak;
    if (isMine) await tellDrift(clusterRun, next, run, context);
    const sleepMs = Date.parse(status.scaleDownAt ?? '') - ctx.now.getTime();
    if (sleepMs <= 0) {
      await executor.scaleDown({ context, status, signal: ctx.signal });
      delete next.scaleDownAt;
    }
    if (!jsonEqual(next, status)) await write(clusterRun, next, ctx);
    const waits = [...(isSoaking ? [soakEveryMs] : []), ...(sleepMs > 0 ? [sleepMs] : [])];
    return waits.length > 0 ? requeue(Math.min(...waits)) : settled;
  }

  async function restartsOf(context: StepContext, signal: AbortSignal): Promise<Readonly<Record<string, number>> | undefined> {
    try {
      return await countRestarts(sight.open(context.cluster.id), context, signal);
    } catch (error) {
      if (error instanceof UnreachableError) return undefined;
      throw error;
    }
  }

  /** Says once that a member is not as it was left. */
  async function tellDrift(
    clusterRun: ClusterRun,
    next: ClusterRunStatus,
    run: WorkflowRun,
    { snapshot, spec, cluster, run: of }: StepContext,
  ): Promise<void> {
    const found = findCondition({ status: next }, workConditions.drifted);
    if (found?.status !== 'True' || isDrifted(clusterRun)) return;
    const happening = {
      event: 'DriftDetected',
      message: `Cluster ${cluster.name} is not as deployed: ${found.message}`,
      cluster: cluster.name,
      wave: of.wave,
      nonce: found.lastTransitionTime,
    } as const;
    const notifications = (spec.notifications ?? []) as Parameters<Herald['tell']>[0]['notifications'];
    await herald.tell({ run, workflow: snapshot.workflow.name, notifications }, [happening]);
  }
}

export const isDrifted = (clusterRun: ClusterRun): boolean => findCondition(clusterRun, workConditions.drifted)?.status === 'True';

/** What the cluster holds is another run's by now, and so is what becomes of it. */
const leftBehind = ({ conditions = [] }: ClusterRunStatus): Pick<ClusterRunStatus, 'conditions'> => {
  const kept = conditions.filter(({ type }) => type !== workConditions.drifted);
  return kept.length < conditions.length ? { conditions: kept } : {};
};

const maxDrift = 50;

/** What a Work tells of drift is told of the release as well. */
function drifted(clusterRun: ClusterRun, work: Work | undefined, now: Date): Pick<ClusterRunStatus, 'conditions' | 'drift'> {
  const found = findCondition(work, workConditions.drifted);
  const { status, metadata } = clusterRun;
  const had = findCondition(clusterRun, workConditions.drifted);
  if (!found && !had) return {};
  const { reason = 'AsDeployed', message = 'Everything is as deployed' } = found ?? {};
  const report = { type: workConditions.drifted, status: found ? ('True' as const) : ('False' as const), reason, message };
  const drift = (found ? (work?.status?.drift ?? []) : []).slice(0, maxDrift).map(({ path, manager, ...ref }) => ({
    object: refLine(ref),
    path,
    ...(manager !== undefined && { manager }),
  }));
  const conditions = withConditions(status?.conditions, [report], { now, generation: metadata.generation });
  return { conditions, ...(drift.length > 0 && { drift }) };
}
