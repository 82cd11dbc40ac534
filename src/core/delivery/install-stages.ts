import { installOrder } from '../../render/helm/manifests.ts';

const rank = new Map(installOrder.map((kind, i) => [kind, i]));

/** One group for each kind, in the order in which Helm installs them: all that it does not know come last, by name. */
export function installStages<T>(items: readonly T[], kindOf: (item: T) => string): T[][] {
  const groups = Map.groupBy(items, kindOf);
  return [...groups.keys()].sort(byKind).map(kind => groups.get(kind)!);
}

function byKind(a: string, b: string): number {
  const first = rank.get(a) ?? Infinity;
  const second = rank.get(b) ?? Infinity;
  if (first !== second) return first - second;
  return a < b ? -1 : 1;
}
