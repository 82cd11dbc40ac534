export const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod' };
export const nodes = { group: '', version: 'v1', resource: 'nodes', kind: 'Node' };
export const claims = { group: '', version: 'v1', resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim' };
export const replicationControllers = { group: '', version: 'v1', resource: 'replicationcontrollers', kind: 'ReplicationController' };
export const replicaSets = { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet' };
export const deployments = { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment' };
export const statefulSets = { group: 'apps', version: 'v1', resource: 'statefulsets', kind: 'StatefulSet' };
export const daemonSets = { group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet' };
export const controllerRevisions = { group: 'apps', version: 'v1', resource: 'controllerrevisions', kind: 'ControllerRevision' };
export const disruptionBudgets = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets', kind: 'PodDisruptionBudget' };
export const autoscalers = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler' };

/** A resource and the kind of its objects. */
export type WorkloadResource = typeof pods;

/** Who the real controllers say they are when they write. */
export const fieldManager = 'kube-controller-manager';
