import type { Cluster } from '../../api/cluster.ts';
import { percentOf } from '../../api/percent-of.ts';
import type { MemberLoad } from './member-load.ts';

type ClusterStatus = NonNullable<Cluster['status']>;
type Told = Pick<ClusterStatus, 'requested' | 'limits' | 'requestedPercent'>;

/** Hundredths of what nodes offer that are worth a write. */
const newsPercent = 5;

/**
 * What a status says of the load. Pods come and go all the time: a small change is told with the next write that happens anyway, only a large one by
 * itself.
 */
export function decideLoad(
  before: ClusterStatus | undefined,
  seen: { readonly load: MemberLoad | undefined; readonly allocatable: ClusterStatus['allocatable']; readonly isWritten: boolean },
): Told {
  const { load, allocatable, isWritten } = seen;
  const told = {
    ...(before?.requested && { requested: before.requested }),
    ...(before?.limits && { limits: before.limits }),
    ...(before?.requestedPercent && { requestedPercent: before.requestedPercent }),
  };
  if (!load) return told;
  const requestedPercent = {
    cpu: percentOf(load.requested['cpu'] ?? '0', allocatable?.['cpu']),
    memory: percentOf(load.requested['memory'] ?? '0', allocatable?.['memory']),
  };
  const isNews =
    before?.requested === undefined ||
    isMore(Number(before.requested['pods'] ?? 0), Number(load.requested['pods'] ?? 0)) ||
    (['cpu', 'memory'] as const).some(name => isFar(before.requestedPercent?.[name], requestedPercent[name]));
  if (!isNews && !isWritten) return told;
  const known = Object.fromEntries(Object.entries(requestedPercent).filter(([, value]) => value !== undefined));
  return { requested: { ...load.requested }, limits: { ...load.limits }, requestedPercent: known };
}

/** A tenth, and one at least: of few pods each counts. */
const isMore = (before: number, now: number): boolean => Math.abs(now - before) >= Math.max(1, before / 10);

function isFar(before: number | undefined, now: number | undefined): boolean {
  if (before === undefined || now === undefined) return before !== now;
  return Math.abs(now - before) >= newsPercent;
}
