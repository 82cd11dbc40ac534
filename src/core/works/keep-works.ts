import { LRUCache } from 'lru-cache';
import { type Cluster, clusterAnnotations, clusterConditions } from '../../api/cluster.ts';
import { findCondition, withConditions } from '../../api/conditions.ts';
import { isReleased, Work, workConditions, workFinalizer, workReasons } from '../../api/work.ts';
import { removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { isMissing } from '../../client/missing-object.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { clusterId } from '../clusters/cluster-id.ts';
import { isLeaving } from './claims.ts';
import { keepHistory, type RevisionInformer } from './keep-history.ts';

export interface WorkKeeperDeps {
  readonly hub: KubeClient;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly revisions: RevisionInformer;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-work-keeper';

/**
 * What the hub itself does for a Work, wherever it is delivered from: it holds it back from removal until nothing of it is left on the member, says which
 * cluster it is for, and keeps its earlier specs.
 */
export function runWorkKeeper({ hub, works, clusters, revisions, signal }: WorkKeeperDeps): RunningController {
  /** The newest number that was given to a revision of a Work. */
  const numbers = new LRUCache<string, number>({ max: 4096 });
  return runController(
    { name: 'work-keeper', reconcile },
    {
      triggers: [changesOf(works), changesOf(clusters, cluster => works.by('cluster', clusterId(cluster)).map(keyOf))],
      signal,
      concurrency: 16,
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const work = works.get(key);
    if (!work) return settled;
    const [cluster] = clusters.by('id', work.metadata.namespace ?? '');
    if (isLeaving(work)) await letGo(work, cluster, ctx);
    else if (!cluster) await sayAlone(work, ctx);
    else {
      await hold(work, cluster, ctx);
      await keepHistory(work, { hub, revisions, numbers }, ctx);
      await sayLost(work, cluster, ctx);
    }
    return settled;
  }

  async function hold(work: Work, cluster: Cluster, { signal }: Context): Promise<void> {
    const { namespace, name = '', uid = '', resourceVersion = '', finalizers = [], annotations } = work.metadata;
    const isHeld = finalizers.includes(workFinalizer);
    const clusterName = cluster.metadata.name!;
    if (isHeld && annotations?.[clusterAnnotations.cluster] === clusterName) return;
    const metadata = {
      uid,
      resourceVersion,
      annotations: { [clusterAnnotations.cluster]: clusterName },
      ...(!isHeld && { finalizers: [...finalizers, workFinalizer] }),
    };
    await hub.patch(Work, { namespace, name }, { type: 'merge', body: { metadata } }, { signal, fieldManager }).catch((error: unknown) => {
      if (!isMissing(error, { name })) throw error;
    });
  }

  async function letGo(work: Work, cluster: Cluster | undefined, { signal }: Context): Promise<void> {
    const isForced =
      isReleased(work) ||
      (cluster?.metadata.annotations?.[clusterAnnotations.forceRemoval] === 'true' && cluster.metadata.deletionTimestamp);
    const isRemoved = findCondition(work, workConditions.removed)?.status === 'True';
    if (isRemoved || !cluster || isForced) await removeFinalizer(hub, Work, work, workFinalizer, { signal });
  }

  /** An agent that is away says nothing; what it said before is not known to be true any more. When it is back it says how things are. */
  async function sayLost(work: Work, cluster: Cluster, { now, signal }: Context): Promise<void> {
    const connected = findCondition(cluster, clusterConditions.connected);
    const ready = findCondition(work, workConditions.ready);
    if (cluster.spec.connection.mode !== 'Tunnel' || connected?.status !== 'False' || !ready || ready.status === 'Unknown') return;
    // What was said since comes from an agent that is there all the same.
    if (ready.lastTransitionTime > connected.lastTransitionTime) return;
    const { namespace, name = '', uid } = work.metadata;
    const message = `Cluster "${cluster.metadata.name}" cannot be reached; what runs there goes on`;
    const reports = [{ type: workConditions.ready, status: 'Unknown' as const, reason: workReasons.clusterUnreachable, message }];
    const conditions = withConditions(undefined, reports, { now, generation: ready.observedGeneration });
    const metadata = { namespace: namespace!, name, ...(uid !== undefined && { uid }) };
    await hub.apply(Work, { metadata, status: { conditions } }, { subresource: 'status', fieldManager, signal });
  }

  /** Without a cluster nobody would ever say anything. */
  async function sayAlone(work: Work, { now, signal }: Context): Promise<void> {
    const { namespace, name = '', generation } = work.metadata;
    const message = `No cluster has the namespace "${namespace}": Works lie in the namespace that "kubectl get clusters.drover.io -o wide" shows as the id of their cluster`;
    const present = findCondition(work, workConditions.ready);
    if (present?.message === message) return;
    const reports = [{ type: workConditions.ready, status: 'False' as const, reason: workReasons.clusterUnreachable, message }];
    const conditions = withConditions(undefined, reports, { now, generation });
    await hub.apply(
      Work,
      { metadata: { namespace: namespace!, name }, status: { conditions } },
      { subresource: 'status', fieldManager, signal },
    );
  }
}
