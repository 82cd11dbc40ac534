import { revisionLabel } from '../controller-revisions.ts';
import { byPlacement, isUpdated, judgeNode, type StoredDaemonSet, type StoredNode } from './daemon-set-pods.ts';
import { resolveIntOrPercent } from '../int-or-percent.ts';
import { isAvailable, isReady, type StoredPod } from '../pod-state.ts';
import { isDeleting } from '../stored-object.ts';

export interface DaemonPlan {
  /** Nodes that need a daemon. */
  readonly create: readonly string[];
  readonly delete: readonly StoredPod[];
}

export interface DaemonState {
  readonly set: StoredDaemonSet;
  readonly nodes: readonly StoredNode[];
  readonly podsByNode: ReadonlyMap<string, readonly StoredPod[]>;
  /** The hash of the present template. */
  readonly hash: string;
  readonly now: Date;
}

interface NodePlan {
  readonly isMissing: boolean;
  readonly surplus: readonly StoredPod[];
}

const nothing: NodePlan = { isMissing: false, surplus: [] };

function surgeOf({ spec }: StoredDaemonSet, nodeCount: number): number {
  if (spec.updateStrategy?.type !== 'RollingUpdate') return 0;
  return resolveIntOrPercent(spec.updateStrategy.rollingUpdate?.maxSurge, nodeCount, 'up');
}

function unavailableOf({ spec }: StoredDaemonSet, nodeCount: number): number {
  if (spec.updateStrategy?.type !== 'RollingUpdate') return 0;
  return resolveIntOrPercent(spec.updateStrategy.rollingUpdate?.maxUnavailable, nodeCount, 'up');
}

/** One daemon on every node that should have one, whatever its revision. Pods that ended are left to `isReplaceable`. */
export function planDaemons(state: DaemonState, isReplaceable: (pod: StoredPod, node: string) => boolean): DaemonPlan {
  const create: string[] = [];
  const surplus: StoredPod[] = [];
  const known = new Set<string>();
  for (const node of state.nodes) {
    const { name } = node.metadata;
    known.add(name);
    const plan = planNode(state, node, isReplaceable);
    if (plan.isMissing) create.push(name);
    surplus.push(...plan.surplus);
  }
  // What waits for a node that is gone would wait for ever.
  for (const [node, pods] of state.podsByNode) if (!known.has(node)) surplus.push(...pods.filter(pod => !pod.spec.nodeName));
  return { create, delete: surplus };
}

function planNode(state: DaemonState, node: StoredNode, isReplaceable: (pod: StoredPod, node: string) => boolean): NodePlan {
  const { set, podsByNode } = state;
  const pods = podsByNode.get(node.metadata.name);
  const { shouldRun, mayStay } = judgeNode(set, node);
  if (!pods) return shouldRun ? { isMissing: true, surplus: [] } : nothing;
  const staying = pods.filter(pod => !isDeleting(pod));
  if (!mayStay) return { isMissing: false, surplus: staying };

  const ended = staying.filter(({ status }) => status?.phase === 'Failed' || status?.phase === 'Succeeded');
  const running = staying.filter(pod => !ended.includes(pod)).toSorted(byPlacement);
  const replaced = ended.filter(pod => isReplaceable(pod, node.metadata.name));
  if (surgeOf(set, 1) === 0) return { isMissing: false, surplus: [...replaced, ...running.slice(1)] };
  if (running.length === 0) return { isMissing: shouldRun, surplus: replaced };
  return { isMissing: false, surplus: [...replaced, ...beyondSurge(state, running)] };
}

/** With surge, one old and one new daemon may be side by side until the new one is available. */
function beyondSurge({ set, hash, now }: DaemonState, running: readonly StoredPod[]): StoredPod[] {
  const isNew = (pod: StoredPod) => pod.metadata.labels?.[revisionLabel] === hash;
  const newest = running.find(isNew);
  const old = running.find(pod => !isNew(pod));
  const surplus = running.filter(pod => pod !== newest && pod !== old);
  if (newest && old && (!isReady(old) || isAvailable(newest, set.spec.minReadySeconds ?? 0, now))) surplus.push(old);
  return surplus;
}

interface NodeDaemons {
  readonly node: string;
  readonly newest: StoredPod | undefined;
  readonly old: StoredPod | undefined;
  /** More pods than a rollout can have made. */
  readonly isUnclear: boolean;
}

/** The next step of a rolling update. */
export function planRollout(state: DaemonState): DaemonPlan {
  const { set, nodes, podsByNode } = state;
  const wanted = nodes.filter(node => judgeNode(set, node).shouldRun).map(node => node.metadata.name);
  const daemons = [...new Set([...podsByNode.keys(), ...wanted])].toSorted().map(node => daemonsOn(state, node));
  const maxSurge = surgeOf(set, wanted.length);
  if (maxSurge > 0) return planSurge(state, daemons, maxSurge, wanted.length);
  const maxUnavailable = unavailableOf(set, wanted.length);
  return planReplacement(state, daemons, wanted.length > 0 && maxUnavailable === 0 ? 1 : maxUnavailable);
}

function daemonsOn({ set, podsByNode, hash }: DaemonState, node: string): NodeDaemons {
  const staying = (podsByNode.get(node) ?? []).filter(pod => !isDeleting(pod));
  const fresh = staying.filter(pod => isUpdated(set, pod, hash));
  const outdated = staying.filter(pod => !fresh.includes(pod));
  return { node, newest: fresh[0], old: outdated[0], isUnclear: fresh.length > 1 || outdated.length > 1 };
}

function planReplacement({ set, now }: DaemonState, daemons: readonly NodeDaemons[], maxUnavailable: number): DaemonPlan {
  const isUp = (pod: StoredPod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  const broken: StoredPod[] = [];
  const candidates: StoredPod[] = [];
  let unavailable = 0;
  for (const { newest, old, isUnclear } of daemons) {
    const only = newest ?? old;
    if (isUnclear || !only || (newest && old) || !isUp(only)) unavailable++;
    if (isUnclear || newest || !old) continue;
    (isUp(old) ? candidates : broken).push(old);
  }
  return { create: [], delete: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

function planSurge({ set, nodes, now }: DaemonState, daemons: readonly NodeDaemons[], maxSurge: number, wanted: number): DaemonPlan {
  const isUp = (pod: StoredPod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  const byName = new Map(nodes.map(node => [node.metadata.name, node]));
  const shouldRun = (name: string) => {
    const node = byName.get(name);
    return node !== undefined && judgeNode(set, node).shouldRun;
  };
  const urgent: string[] = [];
  const candidates: string[] = [];
  const leaving: StoredPod[] = [];
  const unwanted: StoredPod[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, newest, old, isUnclear } of daemons) {
    if (isUnclear) {
      surging++;
      continue;
    }
    const serving = old ?? newest;
    if (serving && isUp(serving)) available++;
    if (!old) continue;
    if (newest) {
      if (isUp(newest)) leaving.push(old);
      else surging++;
    } else if (!isUp(old)) {
      if (shouldRun(node)) urgent.push(node);
      else leaving.push(old);
    } else if (shouldRun(node)) candidates.push(node);
    else unwanted.push(old);
  }
  const spare = Math.max(0, available - wanted);
  return {
    create: [...urgent, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
    delete: [...leaving, ...unwanted.slice(0, spare)],
  };
}
