import type { Pod, StatefulSet } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { revisionLabel, templateOf, type Revision } from '../controller-revisions.ts';
import { podFromTemplate } from '../pod-control.ts';
import { isAvailable, isReady, type StoredPod } from '../pod-state.ts';
import { claimName } from './stateful-set-claims.ts';
import { isDeleting, type Stored } from '../stored-object.ts';

export type StoredStatefulSet = Stored<StatefulSet>;

const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';
const largestOrdinal = 2 ** 31 - 1;

export const firstOrdinal = ({ spec }: StoredStatefulSet): number => spec.ordinals?.start ?? 0;
export const replicasOf = ({ spec }: StoredStatefulSet): number => spec.replicas ?? 1;
export const podName = (set: StoredStatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`;
export const isParallel = ({ spec }: StoredStatefulSet): boolean => spec.podManagementPolicy === 'Parallel';
export const revisionOfPod = ({ metadata }: { metadata: { labels?: Record<string, string> } }): string =>
  metadata.labels?.[revisionLabel] ?? '';

/** The number at the end of a pod's name, and what is before it. */
export function splitPodName(name: string): { parent: string; ordinal: number } {
  const [, parent = '', digits = ''] = /^(.*)-([0-9]+)$/s.exec(name) ?? [];
  const ordinal = digits === '' || Number(digits) > largestOrdinal ? -1 : Number(digits);
  return { parent, ordinal };
}

export const ordinalOf = ({ metadata }: { metadata: { name?: string } }): number => splitPodName(metadata.name ?? '').ordinal;

/** Whether the set still wants a pod of this number. */
export function isWanted(set: StoredStatefulSet, ordinal: number): boolean {
  return ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + replicasOf(set);
}

export const isRunningAndReady = (pod: StoredPod): boolean => pod.status?.phase === 'Running' && isReady(pod);

export function isUnavailable(pod: StoredPod, set: StoredStatefulSet, now: Date): boolean {
  return isDeleting(pod) || !isAvailable(pod, set.spec.minReadySeconds ?? 0, now);
}

export interface Revisions {
  readonly current: Revision;
  readonly update: Revision;
}

/** A pod that does not exist yet, of the revision that its number calls for. */
export function newPod(set: StoredStatefulSet, { current, update }: Revisions, ordinal: number): KubeObject {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : type === 'RollingUpdate' ? (set.status?.currentReplicas ?? 0) : 0;
  const revision = ordinal < firstOrdinal(set) + kept ? current : update;
  const pod = podFromTemplate(templateOf(revision), set);
  const { labels, ...metadata } = pod.metadata;
  const spec = pod['spec'] as NonNullable<Pod['spec']>;
  const name = podName(set, ordinal);
  return {
    ...pod,
    metadata: { ...metadata, name, labels: { ...labels, ...identityLabels(name, ordinal), [revisionLabel]: revision.metadata.name } },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec.serviceName && { subdomain: set.spec.serviceName }),
      volumes: volumesFor(set, spec, ordinal),
    },
  };
}

const identityLabels = (name: string, ordinal: number) => ({ [podNameLabel]: name, [podIndexLabel]: String(ordinal) });

/** The claims' volumes, then those of the template that no claim replaces. */
function volumesFor(set: StoredStatefulSet, { volumes = [] }: NonNullable<Pod['spec']>, ordinal: number): object[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = templates.map(template => ({
    name: template.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  return [...claimed, ...volumes.filter(volume => !claimed.some(({ name }) => name === volume.name))];
}

/** Whether the pod says who it is. */
export function hasIdentity(pod: StoredPod): boolean {
  return pod.metadata.labels?.[podNameLabel] === pod.metadata.name;
}

export function withIdentity(pod: StoredPod): StoredPod {
  const { name, labels } = pod.metadata;
  return { ...pod, metadata: { ...pod.metadata, labels: { ...labels, ...identityLabels(name, ordinalOf(pod)) } } };
}
