import { Deployment } from '../../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../../api/define-kind.ts';
import type { KubeObject } from '../../../../api/object.ts';

const namespaced = (group: string, kind: string, resource: string): KindRef => ({
  group,
  version: 'v1',
  kind,
  resource,
  scope: 'Namespaced',
});

export const ReplicaSet = namespaced('apps', 'ReplicaSet', 'replicasets');

/** What Rancher calls a workload: everything that makes pods. */
export const workloadKinds: readonly KindRef[] = [
  Deployment,
  namespaced('apps', 'StatefulSet', 'statefulsets'),
  namespaced('apps', 'DaemonSet', 'daemonsets'),
  ReplicaSet,
  namespaced('batch', 'Job', 'jobs'),
  namespaced('batch', 'CronJob', 'cronjobs'),
  namespaced('', 'ReplicationController', 'replicationcontrollers'),
];

/** `deployment`, `cronJob`: the type of a workload, which its id begins with in lower case. */
export const workloadTypeOf = (kind: string) => kind.slice(0, 1).toLowerCase() + kind.slice(1);

export const workloadIdOf = (kind: string, namespace: string, name: string) => `${kind.toLowerCase()}:${namespace}:${name}`;

/** The workload that a pod is a copy of, the outermost one. Undefined for pods that somebody made by hand. */
export function workloadOfPod({ metadata }: KubeObject): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!owner || !workloadKinds.some(({ kind }) => kind === owner.kind)) return undefined;
  const { namespace = '' } = metadata;
  const hash = metadata.labels?.['pod-template-hash'];
  // A Deployment names its ReplicaSets after itself and the hash of what their pods are made from.
  if (owner.kind === ReplicaSet.kind && hash !== undefined && owner.name.endsWith(`-${hash}`))
    return workloadIdOf(Deployment.kind, namespace, owner.name.slice(0, -hash.length - 1));
  return workloadIdOf(owner.kind, namespace, owner.name);
}
