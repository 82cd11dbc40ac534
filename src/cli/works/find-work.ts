import { Cluster } from '../../api/cluster.ts';
import { StatusError } from '../../api/status.ts';
import { Work } from '../../api/work.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { requireCluster } from '../clusters/require-cluster.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';

export interface FoundWork {
  readonly work: Work;
  /** The name of its cluster; undefined when the hub has none with this namespace. */
  readonly cluster: string | undefined;
  /** The namespace of the cluster on the hub. */
  readonly namespace: string;
}

export interface WorkChoice {
  readonly name: string;
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The Work that is meant. Throws with where to look when there is none, or when several clusters have one of that name. */
export async function findWork(hub: HubConnection, choice: WorkChoice, { signal }: Pick<Terminal, 'signal'>): Promise<FoundWork> {
  const { name, cluster, namespace } = choice;
  if (cluster !== undefined && namespace !== undefined)
    throw usageError('--cluster and --namespace say the same: name one of them', "a Work's namespace is the id of its cluster");
  if (cluster !== undefined) {
    const id = clusterId(await requireCluster(hub, cluster, { signal }));
    return { work: await requireWork(hub, name, id, cluster, signal), cluster, namespace: id };
  }
  const [work, clusters] = await Promise.all([
    namespace === undefined ? onlyWork(hub, name, signal) : requireWork(hub, name, namespace, namespace, signal),
    hub.client.list(Cluster, { signal }),
  ]);
  const own = work.metadata.namespace ?? '';
  return { work, cluster: clusters.items.find(one => clusterId(one) === own)?.metadata.name, namespace: own };
}

async function requireWork(hub: HubConnection, name: string, namespace: string, place: string, signal: AbortSignal): Promise<Work> {
  const work = await hub.client.get(Work, { namespace, name }, { signal });
  if (work) return work;
  throw new CommandError(`cluster ${JSON.stringify(place)} has no work ${JSON.stringify(name)}`, {
    hint: `"drover get works -n ${namespace}" lists those it has`,
  });
}

async function onlyWork(hub: HubConnection, name: string, signal: AbortSignal): Promise<Work> {
  const { items } = await hub.client.list(Work, { signal, fieldSelector: `metadata.name=${name}` }).catch((cause: unknown) => {
    if (!(cause instanceof StatusError) || cause.code !== 403) throw cause;
    throw usageError(`whose work ${JSON.stringify(name)} is meant is not said`, 'name its cluster with -C');
  });
  const [work, ...others] = items;
  if (!work)
    throw new CommandError(`no cluster has a work ${JSON.stringify(name)}`, { hint: '"drover get works -A" lists those there are' });
  if (others.length === 0) return work;
  const places = items.map(one => one.status?.cluster ?? one.metadata.namespace ?? '').sort();
  const shown = places.length > 3 ? `${places.slice(0, 3).join(', ')} and ${places.length - 3} more` : places.join(', ');
  throw usageError(`${places.length} clusters have a work ${JSON.stringify(name)}: ${shown}`, 'name one with -C');
}
