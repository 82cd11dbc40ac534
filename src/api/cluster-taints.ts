import type { Cluster } from './cluster.ts';
import { timestamp } from '../util/timestamp.ts';

export type ClusterTaint = NonNullable<Cluster['spec']['taints']>[number];
type Tainted = Pick<Cluster, 'spec'>;

/** The taint by which people cordon and drain a cluster: NoSchedule keeps what is new away, NoExecute also takes away what is there. */
export const cordonTaint = 'drover.io/unschedulable';

/** What `karmadactl cordon` writes, which means the same. */
const karmadaCordon = 'cluster.karmada.io/unschedulable';

export function isCordoned(cluster: Tainted | undefined): boolean {
  return taintsOf(cluster).some(({ key, effect }) => isCordonKey(key) && effect !== 'PreferNoSchedule');
}

export function isDrained(cluster: Tainted | undefined): boolean {
  return taintsOf(cluster).some(({ key, effect }) => key === cordonTaint && effect === 'NoExecute');
}

/**
 * Why something that matches a cluster is not placed on it, for people; undefined when it is. What is there already stays under NoSchedule, and goes under
 * NoExecute. PreferNoSchedule keeps nothing away: whoever matches is placed, so that there is nothing to prefer.
 */
export function whyKeptAway(cluster: Tainted | undefined, isThere: boolean): string | undefined {
  const taints = taintsOf(cluster);
  const expelling = taints.filter(({ effect }) => effect === 'NoExecute');
  if (expelling.some(({ key }) => key === cordonTaint)) return 'it is drained, so that what was placed on it goes away';
  if (expelling[0]) return `its taint ${JSON.stringify(taintText(expelling[0]))} takes away what is placed on it`;
  if (isThere) return undefined;
  const closing = taints.filter(({ effect }) => effect === 'NoSchedule');
  if (closing.some(({ key }) => isCordonKey(key))) return 'it is cordoned, so that nothing new is placed on it';
  return closing[0] && `its taint ${JSON.stringify(taintText(closing[0]))} keeps away what is new`;
}

/** The taints of a cluster that is cordoned, or drained as well. The very same list when it says that already. */
export function cordonedTaints(taints: readonly ClusterTaint[] = [], isToBeDrained: boolean, now: Date): readonly ClusterTaint[] {
  const effects = isToBeDrained ? (['NoSchedule', 'NoExecute'] as const) : (['NoSchedule'] as const);
  const missing = effects.filter(effect => !taints.some(one => one.key === cordonTaint && one.effect === effect));
  if (missing.length === 0) return taints;
  return [...taints, ...missing.map(effect => ({ key: cordonTaint, effect, timeAdded: timestamp(now) }))];
}

/** The taints of others. The very same list when there are no more. */
export function uncordonedTaints(taints: readonly ClusterTaint[] = []): readonly ClusterTaint[] {
  return taints.some(({ key }) => key === cordonTaint) ? taints.filter(({ key }) => key !== cordonTaint) : taints;
}

/** As kubectl writes it: `key=value:NoSchedule`. */
export const taintText = ({ key, value, effect }: ClusterTaint): string => `${key}${value ? `=${value}` : ''}:${effect}`;

const isCordonKey = (key: string): boolean => key === cordonTaint || key === karmadaCordon;

const taintsOf = (cluster: Tainted | undefined): readonly ClusterTaint[] => cluster?.spec.taints ?? [];
