import { Namespace } from '../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations, clusterFaults, clusterFinalizer } from '../../api/cluster.ts';
import type { Work } from '../../api/work.ts';
import { addFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../runtime/controller.ts';
import { eventRecorder } from '../../runtime/event-recorder.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { log } from '../../runtime/log.ts';
import { jsonEqual } from '../../util/json.ts';
import { askMember, type Agents } from './ask-member.ts';
import { clusterId } from './cluster-id.ts';
import { ensureClusterNamespace } from './cluster-namespace.ts';
import { decideStatus, lookAgainMs, type ClusterStatus } from './decide-status.ts';
import { departCluster } from './depart-cluster.ts';
import { mayMovePods } from './member-load.ts';
import { observeMember, type MemberObserver } from './member-observer.ts';
import { tellChange } from './tell-change.ts';
import { sandboxPeriodMs } from './standing.ts';

export interface ClusterControllerDeps {
  readonly hub: KubeClient;
  readonly clusters: Informer<Cluster>;
  readonly members: {
    /** The way to a member. Throws where there is none. */
    client(name: string): KubeClient;
    /** Hears the names of clusters to which the way has changed. */
    subscribe(listener: (name: string) => void): Disposable;
  };
  readonly agents?: Agents;
  /** What is delivered to them, where it is to be noticed. */
  readonly works?: Pick<Informer<Work>, 'subscribe'>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-clusters';
const concurrency = 16;

/** Keeps the status of every Cluster true, gives each its namespace, and takes those that are removed apart in order. */
export function runClusterController({ hub, clusters, members, agents, works, signal }: ClusterControllerDeps): RunningController {
  const observers = new Map<Key, MemberObserver & { readonly member: string }>();
  const namespaces = informer(hub, Namespace, { signal, labelSelector: 'app.kubernetes.io/managed-by=drover', keep: keepOfNamespace });
  const events = eventRecorder(hub, { controller: 'cluster', signal });
  const running = runController(
    { name: 'cluster', reconcile },
    { triggers: [changesOf(clusters), changesOf(namespaces, clusterOf)], signal, concurrency },
  );
  const subscriptions = [
    works?.subscribe(change => {
      if (!mayMovePods(change)) return;
      for (const { metadata } of clusters.by('id', change.object.metadata.namespace ?? '')) observers.get(metadata.name!)?.lookAtLoadSoon();
    }),
    members.subscribe(name => observers.get(name)?.askNow()),
    agents?.subscribe(id => {
      for (const { metadata } of clusters.by('id', id)) {
        observers.get(metadata.name!)?.askNow();
        running.add(metadata.name!);
      }
    }),
  ];
  signal.addEventListener('abort', () => {
    for (const one of [...subscriptions, ...observers.values()]) one?.[Symbol.dispose]();
  });
  return running;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const cluster = clusters.get(key);
    if (!cluster || cluster.metadata.deletionTimestamp !== undefined) forget(key);
    if (!cluster) return settled;

    const agent = agents?.state(clusterId(cluster));
    const ofAgent = { agentVersion: agent?.agent.version, hasDuplicateAgent: agent?.hasDuplicate };
    const status = decideStatus(cluster, { ...observe(key, cluster)?.observation, ...ofAgent }, ctx.now);
    const call = { signal: ctx.signal };
    if (cluster.metadata.deletionTimestamp !== undefined) {
      await report(cluster, status, ctx);
      return departCluster(cluster, { hub, client: () => members.client(key), isConnected: agent?.isConnected === true }, ctx);
    }
    await addFinalizer(hub, Cluster, cluster, clusterFinalizer, call);
    if (!namespaces.get(clusterId(cluster))) await ensureClusterNamespace(hub, cluster, call);
    await report(cluster, status, ctx);

    const againMs = lookAgainMs(cluster, status, ctx.now);
    return againMs === undefined ? settled : requeue(againMs);
  }

  /** The observer of a cluster that stays; an object made anew under an old name, or of another mode, is another member. */
  function observe(key: Key, cluster: Cluster): MemberObserver | undefined {
    const { uid, deletionTimestamp } = cluster.metadata;
    const member = `${uid} ${cluster.spec.connection.mode}`;
    const present = observers.get(key);
    if (deletionTimestamp !== undefined || present?.member === member) return present;
    forget(key);
    const since = Date.now();
    const client = () => members.client(key);
    const observer = observeMember({
      client,
      probe: stop => askMember({ cluster: clusters.get(key) ?? cluster, client, agents, since, signal: stop }),
      ...(cluster.spec.connection.mode === 'Sandbox' && { provider: 'sandbox', periodMs: sandboxPeriodMs }),
      ...(cluster.spec.connection.mode === 'Local' && { periodMs: sandboxPeriodMs }),
      hasKnownLoad: cluster.status?.requested !== undefined,
      onChange: () => running.add(key),
      onError: error => log.debug('cannot learn about a cluster', { cluster: key, err: error }),
    });
    observers.set(key, Object.assign(observer, { member }));
    return observer;
  }

  function forget(key: Key): void {
    observers.get(key)?.[Symbol.dispose]();
    observers.delete(key);
  }

  async function report(cluster: Cluster, status: ClusterStatus, ctx: Context): Promise<void> {
    if (isReported(cluster.status, status)) return;
    const { name, uid } = cluster.metadata;
    const metadata = { name: name!, ...(uid !== undefined && { uid }) };
    await hub.apply(Cluster, { metadata, status }, { fieldManager, subresource: 'status', signal: ctx.signal });
    tellChange(cluster, status, events);
  }
}

/** Whether the status says all of it already, whatever others have written there besides. */
function isReported(before: ClusterStatus | undefined, status: ClusterStatus): boolean {
  const { conditions = [], ...fields } = status;
  const faults: readonly string[] = Object.values(clusterFaults);
  return (
    before?.conditions?.every(({ type }) => !faults.includes(type) || conditions.some(one => one.type === type)) !== false &&
    Object.entries(fields).every(([name, value]) => jsonEqual(before?.[name as keyof ClusterStatus], value)) &&
    conditions.every(one => before?.conditions?.some(present => jsonEqual(present, one)))
  );
}

function clusterOf({ metadata }: Namespace): Key[] {
  const name = metadata.annotations?.[clusterAnnotations.cluster];
  return name === undefined ? [] : [name];
}

function keepOfNamespace({ apiVersion, kind, metadata }: Namespace): Namespace {
  const { name = '', uid = '', resourceVersion = '', annotations } = metadata;
  const cluster = annotations?.[clusterAnnotations.cluster];
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, ...(cluster !== undefined && { annotations: { [clusterAnnotations.cluster]: cluster } }) },
  };
}
