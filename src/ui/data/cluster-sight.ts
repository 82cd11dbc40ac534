import type { Cluster } from '../../api/cluster.ts';
import { hubRefuses, isHidden, seesHub } from './hub-sight.ts';
import { hub, kinds } from './kinds.ts';
import { ApiError, guardRequests, request } from './request.ts';
import { knownList, watchedList, type WatchedList } from './watched-list.ts';

/*
 * Who is no administrator has a way to some clusters alone, and some clusters are away. A request to another would be refused, which browsers write into
 * their console as an error: so it is looked up first which ones are open.
 */

interface OpenCluster {
  /** Undefined when it can be reached. */
  readonly whyAway: string | undefined;
}

/** Whoever has become a member, or is back, is found out after this. */
const believedMs = 2000;
/** How long to wait for what the hub knows of a cluster; then it is asked itself. */
const patienceMs = 1000;
let known: { readonly askedAt: number; readonly clusters: Promise<ReadonlyMap<string, OpenCluster>> } | undefined;

/** Somebody else may sign in. */
export function forgetClusters(): void {
  known = undefined;
}

/** Keeps requests from leaving that would be refused for the cluster they go to. */
export const beginClusterSight = (): void =>
  guardRequests(async (path, method) => {
    const [, encoded] = /^\/k8s\/clusters\/([^/?]+)/.exec(path) ?? [];
    if (encoded === undefined) return;
    const cluster = decodeURIComponent(encoded);
    if (isHidden(cluster)) throw hubRefuses('anything');
    if (cluster === hub) return;
    const found = seesHub() ? await seenByHub(cluster) : await openToMember(cluster);
    if (!found) throw new ApiError(403, `There is no cluster ${cluster} that you are a member of`);
    // What somebody does is tried all the same: the cluster may be back this very moment.
    const isLook = method === 'GET' || path.includes('/selfsubject');
    if (isLook && found.whyAway !== undefined)
      throw new ApiError(503, `cluster "${cluster}" cannot be reached: ${found.whyAway}`, { reason: 'ServiceUnavailable' });
  });

/** By the list of all where somebody looks at it. What the hub does not know may be there all the same. */
async function seenByHub(name: string): Promise<OpenCluster> {
  const kind = kinds.cluster;
  const list = knownList({ kind }) ?? watchedList({ kind, fieldSelector: `metadata.name=${name}` });
  const find = () => list.get().items.find(({ metadata }) => metadata.name === name) as Cluster | undefined;
  if (list.get().state === 'loading' && !find()) await untilTold(list, () => find() !== undefined);
  const cluster = find();
  const connected = cluster?.status?.conditions?.find(({ type }) => type === 'Connected');
  if (!cluster || list.get().state !== 'live' || connected?.status === 'True') return { whyAway: undefined };
  return { whyAway: connected?.message ?? 'the hub has not heard from it yet' };
}

function untilTold(list: WatchedList, isEnough: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patienceMs);
  const end = list.subscribe(() => (isEnough() || list.get().state !== 'loading') && resolve());
  return promise.finally(() => (clearTimeout(timer), end()));
}

async function openToMember(cluster: string): Promise<OpenCluster | undefined> {
  const before = (await known?.clusters)?.get(cluster);
  if (before && before.whyAway === undefined) return before;
  if (!known || Date.now() - known.askedAt > believedMs) known = { askedAt: Date.now(), clusters: ask() };
  return (await known.clusters).get(cluster);
}

interface ShownCluster {
  readonly id: string;
  readonly name: string;
  readonly state?: string;
  readonly transitioningMessage?: string;
}

async function ask(): Promise<ReadonlyMap<string, OpenCluster>> {
  const { data } = await request<{ data: ShownCluster[] }>('/v3/clusters?limit=-1').catch(() => ({ data: [] as ShownCluster[] }));
  return new Map(
    data.flatMap(({ id, name, state, transitioningMessage = '' }) => {
      const open = { whyAway: state === 'unavailable' ? transitioningMessage || 'it is not connected' : undefined };
      return [[id, open] as const, [name, open] as const];
    }),
  );
}
