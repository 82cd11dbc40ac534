import { clusterAnnotations, type Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { StatusError } from '../../api/status.ts';
import { Work, workConditions, workFinalizer, workReasons } from '../../api/work.ts';
import { removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Context } from '../../runtime/controller.ts';
import { log } from '../../runtime/log.ts';
import { mapBounded } from '../../util/map-bounded.ts';

export interface WorksRemoval {
  /** The cluster that leaves. */
  readonly cluster: Cluster;
  /** Its namespace on the hub. */
  readonly namespace: string;
  /** Whether whoever delivers to it can be there: an agent that is not connected cannot. */
  readonly isServed: boolean;
}

/** After this a member that does not answer keeps what was delivered to it. */
const patienceMs = 60_000;
const concurrency = 16;

/**
 * Takes the Works of a cluster that leaves off it. False while that goes on. A sandbox goes as a whole, so nothing has to be taken off it, nor off a
 * cluster whose agent never came; a member that cannot be reached is waited for, but not for ever.
 */
export async function removeWorks(hub: KubeClient, { cluster, namespace, isServed }: WorksRemoval, ctx: Context): Promise<boolean> {
  const { signal } = ctx;
  const works = await listWorks(hub, namespace, signal);
  if (works.length === 0) return true;
  const { annotations, deletionTimestamp = '' } = cluster.metadata;
  const { mode } = cluster.spec.connection;
  // Where no agent ever was, nothing was delivered.
  const isUntouched = mode === 'Tunnel' && !isServed && cluster.status?.lastSeen === undefined;
  const isForced = annotations?.[clusterAnnotations.forceRemoval] === 'true' || mode === 'Sandbox' || isUntouched;
  // What runs on the hub itself was put there for others, who take it away when they do not need it any more.
  if (mode === 'Local' && !isForced) return false;
  const isLate = ctx.now.getTime() - Date.parse(deletionTimestamp) >= patienceMs;
  await mapBounded(works, concurrency, async work => {
    const { name = '', uid } = work.metadata;
    if (work.metadata.deletionTimestamp === undefined)
      await hub.delete(Work, { namespace, name }, { signal, ...(uid !== undefined && { preconditions: { uid } }) });
    if (!isForced && !(isLate && (!isServed || isOutOfReach(work)))) return;
    if (!isForced) log.warn('cluster left with what a Work delivered to it', { cluster: cluster.metadata.name!, name });
    const present = await hub.get(Work, { namespace, name }, { signal });
    if (present) await removeFinalizer(hub, Work, present, workFinalizer, { signal });
  });
  return (await listWorks(hub, namespace, signal)).length === 0;
}

const isOutOfReach = (work: Work): boolean => findCondition(work, workConditions.removed)?.reason === workReasons.clusterUnreachable;

async function listWorks(hub: KubeClient, namespace: string, signal: AbortSignal): Promise<Work[]> {
  try {
    return (await hub.list(Work, { namespace, signal })).items;
  } catch (error) {
    // A hub that does not have the kind has none of them.
    if (error instanceof StatusError && error.code === 404) return [];
    throw error;
  }
}
