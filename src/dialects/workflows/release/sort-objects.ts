import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { compareTexts } from '../../../util/compare-texts.ts';

const applyOrder = [
  'Namespace',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'Secret',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ServiceAccount',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'DeploymentConfig',
  'StatefulSet',
  'Job',
  'CronJob',
  'Ingress',
  'APIService',
];
const ranks = new Map(applyOrder.map((kind, i) => [kind, i]));

function compareRefs(a: ObjectRef, b: ObjectRef): number {
  const rank = (ranks.get(a.kind) ?? applyOrder.length) - (ranks.get(b.kind) ?? applyOrder.length);
  return (
    rank ||
    compareTexts(a.kind, b.kind) ||
    compareTexts(a.name.toLowerCase(), b.name.toLowerCase()) ||
    compareTexts(a.namespace ?? '', b.namespace ?? '') ||
    compareTexts(a.group, b.group)
  );
}

/** In the order in which Harness applies: by kind, then by name. */
export function sortObjects(objects: readonly KubeObject[]): KubeObject[] {
  return objects
    .map(obj => ({ obj, ref: refOf(obj) }))
    .sort((a, b) => compareRefs(a.ref, b.ref))
    .map(({ obj }) => obj);
}

/** In the order in which things are deleted: the reverse. */
export const inDeletionOrder = (refs: readonly ObjectRef[]): ObjectRef[] => refs.toSorted((a, b) => compareRefs(b, a));
