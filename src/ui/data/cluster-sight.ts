import { hubRefuses, isHidden, seesHub } from './hub-sight.ts';
import { ApiError, guardRequests, request } from './request.ts';

/*
 * Who is no administrator has a way to some clusters alone. A request to another would be refused, which browsers write into their console as an error: so
 * it is looked up first which ones are open.
 */

/** Whoever has become a member finds out after this. */
const believedMs = 2000;
let known: { readonly askedAt: number; readonly names: Promise<ReadonlySet<string>> } | undefined;

/** Somebody else may sign in. */
export function forgetClusters(): void {
  known = undefined;
}

/** Keeps requests from leaving that would be refused for the cluster they go to. */
export const beginClusterSight = (): void =>
  guardRequests(async path => {
    const [, encoded] = /^\/k8s\/clusters\/([^/?]+)/.exec(path) ?? [];
    if (encoded === undefined || seesHub()) return;
    const cluster = decodeURIComponent(encoded);
    if (isHidden(cluster)) throw hubRefuses('anything');
    if (!(await isOpen(cluster))) throw new ApiError(403, `There is no cluster ${cluster} that you are a member of`);
  });

async function isOpen(cluster: string): Promise<boolean> {
  const before = known;
  if (before && (await before.names).has(cluster)) return true;
  if (!known || Date.now() - known.askedAt > believedMs) known = { askedAt: Date.now(), names: ask() };
  return (await known.names).has(cluster);
}

async function ask(): Promise<ReadonlySet<string>> {
  const { data } = await request<{ data: { id: string; name: string }[] }>('/v3/clusters?limit=-1').catch(() => ({ data: [] }));
  return new Set(data.flatMap(({ id, name }) => [id, name]));
}
