import { Cluster, clusterAnnotations } from '../../api/cluster.ts';
import { StatusError } from '../../api/status.ts';
import { Work } from '../../api/work.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { requireCluster } from '../clusters/require-cluster.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';

/** Where a Work lies, or would lie. */
export interface WorkPlace {
  readonly work: Work | undefined;
  /** The name of its cluster; undefined when the hub has none with this namespace. */
  readonly cluster: string | undefined;
  /** The namespace of the cluster on the hub. */
  readonly namespace: string;
}

export interface FoundWork extends WorkPlace {
  readonly work: Work;
}

export interface WorkChoice {
  readonly name: string;
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The Work that is meant. Throws with where to look when there is none, or when several clusters have one of that name. */
export async function findWork(hub: HubConnection, choice: WorkChoice, terminal: Pick<Terminal, 'signal'>): Promise<FoundWork> {
  const place = await findPlace(hub, choice, terminal);
  return { ...place, work: requireWork(place, choice.name) };
}

export function requireWork({ work, cluster, namespace }: WorkPlace, name: string): Work {
  if (work) return work;
  const [place, option] =
    cluster === undefined ? [`namespace "${namespace}"`, `-n ${namespace}`] : [`cluster "${cluster}"`, `-C ${cluster}`];
  throw new CommandError(`${place} has no work ${JSON.stringify(name)}`, { hint: `"drover get works ${option}" lists those it has` });
}

/** Where the Work is that is meant, or would be if it existed: then its cluster must be named. */
export async function findPlace(hub: HubConnection, choice: WorkChoice, { signal }: Pick<Terminal, 'signal'>): Promise<WorkPlace> {
  const { name, cluster, namespace } = choice;
  if (cluster !== undefined && namespace !== undefined)
    throw usageError('--cluster and --namespace say the same: name one of them', "a Work's namespace is the id of its cluster");
  const get = (place: string) => hub.client.get(Work, { namespace: place, name }, { signal });
  if (cluster !== undefined) {
    const id = clusterId(await requireCluster(hub, cluster, { signal }));
    return { work: await get(id), cluster, namespace: id };
  }
  const work = namespace === undefined ? await onlyWork(hub, name, signal) : await get(namespace);
  const id = namespace ?? work?.metadata.namespace ?? '';
  return { work, cluster: clusterOf(work) ?? (await clusterWithId(hub, id, signal)), namespace: id };
}

/** The hub writes the name of the cluster on every Work, so that whoever may see the Work need not see all clusters. */
const clusterOf = (work: Work | undefined): string | undefined =>
  work?.metadata.annotations?.[clusterAnnotations.cluster] ?? work?.status?.cluster;

async function clusterWithId(hub: HubConnection, id: string, signal: AbortSignal): Promise<string | undefined> {
  const { items } = await hub.client.list(Cluster, { signal });
  return items.find(one => clusterId(one) === id)?.metadata.name;
}

async function onlyWork(hub: HubConnection, name: string, signal: AbortSignal): Promise<Work> {
  const { items } = await hub.client.list(Work, { signal, fieldSelector: `metadata.name=${name}` }).catch((cause: unknown) => {
    if (!(cause instanceof StatusError) || cause.code !== 403) throw cause;
    throw usageError(
      `whose work ${JSON.stringify(name)} is meant is not said`,
      'name its cluster with -C, or the namespace of the cluster with -n',
    );
  });
  const [work, ...others] = items;
  if (!work)
    throw new CommandError(`no cluster has a work ${JSON.stringify(name)}`, { hint: '"drover get works -A" lists those there are' });
  if (others.length === 0) return work;
  const places = items.map(one => clusterOf(one) ?? one.metadata.namespace ?? '').sort();
  const shown = places.length > 3 ? `${places.slice(0, 3).join(', ')} and ${places.length - 3} more` : places.join(', ');
  throw usageError(`${places.length} clusters have a work ${JSON.stringify(name)}: ${shown}`, 'name one with -C');
}
