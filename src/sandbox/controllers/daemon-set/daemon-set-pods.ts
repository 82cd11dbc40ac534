import type { Affinity, DaemonSet, Node, PodSpec, PodTemplateSpec, Toleration } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { matchesNodeAffinity, untoleratedTaint } from '../../scheduler/node-matching.ts';
import { revisionLabel } from '../controller-revisions.ts';
import { podFromTemplate } from '../pod-control.ts';
import type { StoredPod } from '../pod-state.ts';
import { byCreation, type Stored } from '../stored-object.ts';

export type StoredDaemonSet = Stored<DaemonSet>;
export type StoredNode = Stored<Node>;

const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';
const nameField = 'metadata.name';

/** Troubles of a node that do not drive daemons away: they are often there to mend them. */
function tolerationsOf({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const exists = (trouble: string, effect: string): Toleration => ({ key: `node.kubernetes.io/${trouble}`, operator: 'Exists', effect });
  const added = [
    exists('not-ready', 'NoExecute'),
    exists('unreachable', 'NoExecute'),
    exists('disk-pressure', 'NoSchedule'),
    exists('memory-pressure', 'NoSchedule'),
    exists('pid-pressure', 'NoSchedule'),
    exists('unschedulable', 'NoSchedule'),
    ...(hostNetwork ? [exists('network-unavailable', 'NoSchedule')] : []),
  ];
  const isAdded = (one: Toleration) =>
    added.some(a => a.key === one.key && a.effect === one.effect && one.operator === 'Exists' && !one.value);
  return [...tolerations.filter(one => !isAdded(one)), ...added];
}

/** Affinity for one node alone, in place of what the template requires of nodes: that was asked of this node already. */
function affinityFor(affinity: Affinity | undefined, node: string): Affinity {
  const required = { nodeSelectorTerms: [{ matchFields: [{ key: nameField, operator: 'In', values: [node] }] }] };
  return { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required } };
}

/** A daemon for one node; the scheduler places it. */
export function daemonPod(set: StoredDaemonSet, node: string, hash: string): KubeObject {
  const { template } = set.spec;
  const generation = set.metadata.annotations?.[generationAnnotation];
  const labels = {
    ...template.metadata?.labels,
    ...(generation !== undefined && { [generationLabel]: generation }),
    [revisionLabel]: hash,
  };
  const spec: PodSpec = template.spec ?? { containers: [] };
  const placed: PodTemplateSpec = {
    metadata: { ...template.metadata, labels },
    spec: { ...spec, tolerations: tolerationsOf(spec), affinity: affinityFor(spec.affinity, node) },
  };
  return podFromTemplate(placed, set);
}

/** The node that a daemon is on or for. */
export function nodeOfDaemon({ spec }: StoredPod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const field = terms.flatMap(term => term.matchFields ?? []).find(({ key, operator }) => key === nameField && operator === 'In');
  return field?.values?.length === 1 ? field.values[0] : undefined;
}

export function isUpdated(set: StoredDaemonSet, { metadata }: StoredPod, hash: string): boolean {
  const generation = set.metadata.annotations?.[generationAnnotation];
  return metadata.labels?.[revisionLabel] === hash || (generation !== undefined && metadata.labels?.[generationLabel] === generation);
}

export interface NodeVerdict {
  readonly shouldRun: boolean;
  /** A daemon that is there already may stay, though none would be started now. */
  readonly mayStay: boolean;
}

export function judgeNode(set: StoredDaemonSet, node: StoredNode): NodeVerdict {
  const spec: PodSpec = set.spec.template.spec ?? { containers: [] };
  const taints = node.spec.taints ?? [];
  const { name, labels = {} } = node.metadata;
  const isMeant = !spec.nodeName || spec.nodeName === name;
  if (!isMeant || !matchesNodeAffinity(spec, { name, labels, taints })) return { shouldRun: false, mayStay: false };
  const tolerations = tolerationsOf(spec);
  const shouldRun = !untoleratedTaint(tolerations, taints, ['NoSchedule', 'NoExecute']);
  return { shouldRun, mayStay: shouldRun || !untoleratedTaint(tolerations, taints, ['NoExecute']) };
}

/** Pods that are on a node before those that are not; then the oldest first. */
export function byPlacement(a: StoredPod, b: StoredPod): number {
  return Number(Boolean(b.spec.nodeName)) - Number(Boolean(a.spec.nodeName)) || byCreation(a, b);
}
