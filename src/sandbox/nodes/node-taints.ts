import type { Node, Taint } from '../../api/kubernetes.ts';
import { timestamp } from '../../util/timestamp.ts';

const prefix = 'node.kubernetes.io/';
const managed = [
  'not-ready',
  'unreachable',
  'unschedulable',
  'memory-pressure',
  'disk-pressure',
  'pid-pressure',
  'network-unavailable',
].map(name => prefix + name);

const pressures: Readonly<Record<string, string>> = {
  MemoryPressure: 'memory-pressure',
  DiskPressure: 'disk-pressure',
  PIDPressure: 'pid-pressure',
  NetworkUnavailable: 'network-unavailable',
};

/** The taints that follow from how a node is, after those that people put on it. Undefined when it has them already. */
export function taintsFor(node: Node, now: Date): Taint[] | undefined {
  const present = node.spec?.taints ?? [];
  const wanted = wantedTaints(node).map(
    taint => present.find(p => p.key === taint.key && p.effect === taint.effect) ?? { ...taint, timeAdded: timestamp(now) },
  );
  const isManaged = ({ key }: Taint) => managed.includes(key);
  const kept = present.filter(isManaged);
  const isSame = kept.length === wanted.length && wanted.every(taint => kept.includes(taint));
  return isSame ? undefined : [...present.filter(taint => !isManaged(taint)), ...wanted];
}

function wantedTaints({ spec, status }: Node): Taint[] {
  const taints: Taint[] = [];
  const add = (name: string, effect: string) => void taints.push({ key: prefix + name, effect });
  if (spec?.unschedulable) add('unschedulable', 'NoSchedule');
  for (const { type, status: state } of status?.conditions ?? []) {
    const pressure = pressures[type];
    if (pressure !== undefined && state === 'True') add(pressure, 'NoSchedule');
    if (type !== 'Ready' || state === 'True') continue;
    const name = state === 'False' ? 'not-ready' : 'unreachable';
    add(name, 'NoSchedule');
    add(name, 'NoExecute');
  }
  return taints;
}
