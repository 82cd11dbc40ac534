import type { PodTemplateSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { semanticEqual } from '../../../apiserver/builtin/workloads/semantic-equal.ts';
import { cloneJson } from '../../../util/json.ts';
import { annotationsOfNewest, byRevisionAnnotation, newestRevision, sizeAnnotations } from './deployment-annotations.ts';
import { desiredSize, maxSurge, nextSizeOfNewest, type StoredDeployment, type StoredReplicaSet } from './deployment-sizes.ts';
import { podTemplateHashLabel, shortHash } from '../pod-template-hash.ts';
import { byCreation, controllerRefTo } from '../stored-object.ts';

const longestName = 253;

/** The same pods, whatever name their template was given. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return semanticEqual(withoutHash(a), withoutHash(b));
}

/** A template without the label that tells ReplicaSets apart. */
export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { [podTemplateHashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** The oldest ReplicaSet that has the Deployment's template, and all others. */
export function tellNewest(
  deployment: StoredDeployment,
  sets: readonly StoredReplicaSet[],
): { newest: StoredReplicaSet | undefined; older: StoredReplicaSet[] } {
  const ordered = sets.toSorted(byCreation);
  const newest = ordered.find(set => isSameTemplate(set.spec.template, deployment.spec.template));
  return { newest, older: ordered.filter(set => set !== newest) };
}

/** The newest ReplicaSet with the annotations and the readiness that the Deployment asks of it; the same object when nothing changes. */
export function refreshNewest(
  deployment: StoredDeployment,
  newest: StoredReplicaSet,
  older: readonly StoredReplicaSet[],
): StoredReplicaSet {
  const annotations = annotationsOfNewest(deployment.metadata.annotations, newest.metadata.annotations, newestRevision(older) + 1n);
  const { minReadySeconds } = deployment.spec;
  const isFresh =
    semanticEqual(annotations, newest.metadata.annotations ?? {}) && (minReadySeconds ?? 0) === (newest.spec.minReadySeconds ?? 0);
  if (isFresh) return newest;
  const { minReadySeconds: _, ...spec } = newest.spec;
  return { ...newest, metadata: { ...newest.metadata, annotations }, spec: { ...spec, ...(minReadySeconds && { minReadySeconds }) } };
}

/** A ReplicaSet for the Deployment's present template. */
export function newReplicaSet(deployment: StoredDeployment, older: readonly StoredReplicaSet[]): KubeObject {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = shortHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [podTemplateHashLabel]: hash };
  const { name, namespace = '', annotations } = deployment.metadata;
  const desired = desiredSize(deployment);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name.slice(0, longestName - hash.length - 1)}-${hash}`,
      namespace,
      labels,
      annotations: {
        ...annotationsOfNewest(annotations, undefined, newestRevision(older) + 1n),
        ...sizeAnnotations(desired, desired + maxSurge(deployment)),
      },
      ownerReferences: [controllerRefTo(deployment)],
    },
    spec: {
      replicas: nextSizeOfNewest(deployment, older, 0),
      ...(minReadySeconds && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [podTemplateHashLabel]: hash } },
      template: { ...cloneJson(template), metadata: { ...cloneJson(template.metadata), labels } },
    },
  };
}

/** Old ReplicaSets beyond the history that is kept, as far as they have ended, oldest revision first. */
export function expiredHistory(deployment: StoredDeployment, older: readonly StoredReplicaSet[]): StoredReplicaSet[] {
  const present = older.filter(set => set.metadata.deletionTimestamp === undefined);
  const surplus = present.length - (deployment.spec.revisionHistoryLimit ?? 0);
  if (surplus <= 0) return [];
  return present
    .toSorted(byRevisionAnnotation)
    .slice(0, surplus)
    .filter(({ spec, status, metadata }) => {
      const isEmpty = (status?.replicas ?? 0) === 0 && (spec.replicas ?? 0) === 0;
      return isEmpty && (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
    });
}
