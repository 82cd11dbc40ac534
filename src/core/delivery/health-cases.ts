import type { KubeObject } from '../../api/object.ts';

interface Parts {
  readonly metadata?: object;
  readonly spec?: unknown;
  readonly status?: unknown;
}

function object(apiVersion: string, kind: string, { metadata = {}, ...rest }: Parts): KubeObject {
  return { apiVersion, kind, metadata: { name: 'x', namespace: 'shop', ...metadata }, ...rest };
}

const condition = (type: string, status: string, reason = 'Because', message = `${type} is ${status}`) => ({
  type,
  status,
  reason,
  message,
});

const deployment = (parts: Parts) => object('apps/v1', 'Deployment', parts);
const statefulSet = (parts: Parts) => object('apps/v1', 'StatefulSet', parts);
const daemonSet = (parts: Parts) => object('apps/v1', 'DaemonSet', parts);
const replicaSet = (parts: Parts) => object('apps/v1', 'ReplicaSet', parts);
const job = (parts: Parts) => object('batch/v1', 'Job', parts);
const pod = (parts: Parts) => object('v1', 'Pod', parts);
const definition = (...conditions: object[]) =>
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { metadata: { namespace: undefined }, status: { conditions } });
const custom = (parts: Parts) => object('example.com/v1', 'Widget', parts);

const available = condition('Available', 'True', 'MinimumReplicasAvailable');
const progressed = condition('Progressing', 'True', 'NewReplicaSetAvailable');
const counts = (n: number) => ({ replicas: n, updatedReplicas: n, readyReplicas: n, availableReplicas: n });
const old = { creationTimestamp: '2020-01-01T00:00:00Z' };
const justNow = { creationTimestamp: '2999-01-01T00:00:00Z' };
const unschedulable = condition('PodScheduled', 'False', 'Unschedulable');
const crashing = (name: string) => ({ name, state: { waiting: { reason: 'CrashLoopBackOff' } } });

/** Objects whose health kstatus was asked for. */
export const healthCases: Readonly<Record<string, KubeObject>> = {
  'deployment without status': deployment({ spec: { replicas: 2 } }),
  'deployment without spec and status': deployment({}),
  'deployment with a status that is no object': deployment({ status: 'fine' }),
  'deployment ready': deployment({ spec: { replicas: 2 }, status: { ...counts(2), conditions: [available] } }),
  'deployment ready with deadline': deployment({
    spec: { replicas: 2, progressDeadlineSeconds: 600 },
    status: { ...counts(2), conditions: [available, progressed] },
  }),
  'deployment with deadline that has not progressed': deployment({
    spec: { replicas: 2, progressDeadlineSeconds: 600 },
    status: { ...counts(2), conditions: [available, condition('Progressing', 'True', 'ReplicaSetUpdated')] },
  }),
  'deployment with the greatest deadline': deployment({
    spec: { replicas: 1, progressDeadlineSeconds: 2147483647 },
    status: { ...counts(1), conditions: [available] },
  }),
  'deployment past its deadline': deployment({
    spec: { replicas: 2, progressDeadlineSeconds: 600 },
    status: { ...counts(2), conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')] },
  }),
  'deployment not available': deployment({ spec: { replicas: 1 }, status: counts(1) }),
  'deployment available false': deployment({
    spec: { replicas: 1 },
    status: { ...counts(1), conditions: [condition('Available', 'False')] },
  }),
  'deployment with no replicas wanted': deployment({ spec: { replicas: 0 }, status: { conditions: [available] } }),
  'deployment with default replicas': deployment({ status: { ...counts(1), conditions: [available] } }),
  'deployment too few replicas': deployment({ spec: { replicas: 3 }, status: counts(2) }),
  'deployment too few updated': deployment({ spec: { replicas: 3 }, status: { ...counts(3), updatedReplicas: 1 } }),
  'deployment with old pods left': deployment({ spec: { replicas: 3 }, status: { ...counts(3), replicas: 4 } }),
  'deployment too few available': deployment({ spec: { replicas: 3 }, status: { ...counts(3), availableReplicas: 2 } }),
  'deployment too few ready': deployment({ spec: { replicas: 3 }, status: { ...counts(3), readyReplicas: 2 } }),
  'deployment whose generation was not observed': deployment({
    metadata: { generation: 3 },
    spec: { replicas: 1 },
    status: { ...counts(1), observedGeneration: 2, conditions: [available] },
  }),
  'deployment whose generation was observed': deployment({
    metadata: { generation: 3 },
    spec: { replicas: 1 },
    status: { ...counts(1), observedGeneration: 3, conditions: [available] },
  }),
  'deployment being deleted': deployment({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: counts(1) }),
  'deployment with replicas as text': deployment({ spec: { replicas: '2' }, status: { ...counts(1), conditions: [available] } }),
  'deployment with conditions that are no list': deployment({ status: { conditions: 'none' } }),
  'deployment with a condition without anything': deployment({ spec: { replicas: 0 }, status: { conditions: [{}] } }),
  'deployment of extensions': object('extensions/v1beta1', 'Deployment', { spec: { replicas: 3 }, status: counts(2) }),
  'deployment of another group': object('example.com/v1', 'Deployment', { spec: { replicas: 3 }, status: counts(2) }),

  'stateful set without status': statefulSet({ spec: { replicas: 2 } }),
  'stateful set ready': statefulSet({
    spec: { replicas: 2 },
    status: { replicas: 2, readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2, currentRevision: 'a', updateRevision: 'a' },
  }),
  'stateful set on delete': statefulSet({ spec: { replicas: 2, updateStrategy: { type: 'OnDelete' } } }),
  'stateful set too few replicas': statefulSet({ spec: { replicas: 3 }, status: { replicas: 2 } }),
  'stateful set too few ready': statefulSet({ spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 1 } }),
  'stateful set with pods to go': statefulSet({ spec: { replicas: 1 }, status: { replicas: 3, readyReplicas: 3 } }),
  'stateful set with too few of the current revision': statefulSet({
    spec: { replicas: 2 },
    status: { replicas: 2, readyReplicas: 2, currentReplicas: 1 },
  }),
  'stateful set between revisions': statefulSet({
    spec: { replicas: 2 },
    status: { replicas: 2, readyReplicas: 2, currentReplicas: 2, currentRevision: 'a', updateRevision: 'b' },
  }),
  'stateful set with a partition under way': statefulSet({
    spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
    status: { replicas: 3, readyReplicas: 3, updatedReplicas: 1 },
  }),
  'stateful set with a partition done': statefulSet({
    spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
    status: { replicas: 3, readyReplicas: 3, updatedReplicas: 2, currentRevision: 'a', updateRevision: 'b' },
  }),
  'stateful set with partition 0': statefulSet({
    spec: { replicas: 1, updateStrategy: { rollingUpdate: { partition: 0 } } },
    status: { replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
  }),
  'stateful set with no replicas wanted': statefulSet({ spec: { replicas: 0 }, status: { replicas: 0 } }),

  'daemon set without generation': daemonSet({ status: { desiredNumberScheduled: 0, observedGeneration: 1 } }),
  'daemon set that nobody observed': daemonSet({ metadata: { generation: 1 } }),
  'daemon set with an old observation': daemonSet({ metadata: { generation: 2 }, status: { observedGeneration: 1 } }),
  'daemon set without a number': daemonSet({ metadata: { generation: 1 }, status: { observedGeneration: 1 } }),
  'daemon set for no node': daemonSet({ metadata: { generation: 1 }, status: { observedGeneration: 1, desiredNumberScheduled: 0 } }),
  'daemon set too few current': daemonSet({ metadata: { generation: 1 }, status: { observedGeneration: 1, desiredNumberScheduled: 2 } }),
  'daemon set too few updated': daemonSet({
    metadata: { generation: 1 },
    status: { observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 1 },
  }),
  'daemon set too few available': daemonSet({
    metadata: { generation: 1 },
    status: { observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 },
  }),
  'daemon set too few ready': daemonSet({
    metadata: { generation: 1 },
    status: { observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 },
  }),
  'daemon set ready': daemonSet({
    metadata: { generation: 1 },
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
      numberReady: 2,
    },
  }),
  'daemon set of extensions': object('extensions/v1beta1', 'DaemonSet', {}),

  'replica set without status': replicaSet({ spec: { replicas: 1 } }),
  'replica set that fails': replicaSet({ spec: { replicas: 1 }, status: { conditions: [condition('ReplicaFailure', 'True')] } }),
  'replica set that failed once': replicaSet({ spec: { replicas: 0 }, status: { conditions: [condition('ReplicaFailure', 'False')] } }),
  'replica set too few labelled': replicaSet({ spec: { replicas: 2 }, status: { replicas: 2, fullyLabeledReplicas: 1 } }),
  'replica set too few available': replicaSet({ spec: { replicas: 2 }, status: { replicas: 2, fullyLabeledReplicas: 2 } }),
  'replica set too few ready': replicaSet({
    spec: { replicas: 2 },
    status: { replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 1 },
  }),
  'replica set with pods to go': replicaSet({
    spec: { replicas: 1 },
    status: { replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 2 },
  }),
  'replica set ready': replicaSet({
    spec: { replicas: 2 },
    status: { replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 2 },
  }),

  'job not started': job({ spec: {} }),
  'job under way': job({ status: { startTime: '2026-01-01T00:00:00Z', active: 1 } }),
  'job done': job({ spec: { completions: 3 }, status: { succeeded: 3, conditions: [condition('Complete', 'True')] } }),
  'job failed': job({ spec: { parallelism: 2 }, status: { failed: 2, conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] } }),
  'job not failed': job({ status: { startTime: '2026-01-01T00:00:00Z', failed: 1, conditions: [condition('Failed', 'False')] } }),
  'job suspended': job({ spec: { suspend: true }, status: { conditions: [condition('Suspended', 'True')] } }),
  'job that failed before it was complete': job({
    status: { conditions: [condition('FailureTarget', 'True'), condition('Failed', 'True'), condition('Complete', 'True')] },
  }),

  'pod without status': pod({}),
  'pod of an unknown phase': pod({ status: { phase: 'Dreaming' } }),
  'pod of phase unknown': pod({ status: { phase: 'Unknown' } }),
  'pod succeeded': pod({ status: { phase: 'Succeeded' } }),
  'pod failed': pod({ status: { phase: 'Failed' } }),
  'pod running and ready': pod({ status: { phase: 'Running', conditions: [condition('Ready', 'True')] } }),
  'pod running and not ready': pod({ status: { phase: 'Running', conditions: [condition('Ready', 'False')] } }),
  'pod running with crashing containers': pod({
    status: { phase: 'Running', containerStatuses: [crashing('a'), { name: 'b', state: { running: {} } }, crashing('c')] },
  }),
  'pod running with a container that waits for something else': pod({
    status: { phase: 'Running', containerStatuses: [{ name: 'a', state: { waiting: { reason: 'ImagePullBackOff' } } }, { name: 'b' }] },
  }),
  'pod pending': pod({ status: { phase: 'Pending' } }),
  'pod pending for lack of a node, just now': pod({ metadata: justNow, status: { phase: 'Pending', conditions: [unschedulable] } }),
  'pod pending for lack of a node, for long': pod({ metadata: old, status: { phase: 'Pending', conditions: [unschedulable] } }),
  'pod pending for lack of a node, of unknown age': pod({ status: { phase: 'Pending', conditions: [unschedulable] } }),
  'pod pending for another reason': pod({
    metadata: old,
    status: { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'SchedulingGated')] },
  }),

  'claim without status': object('v1', 'PersistentVolumeClaim', {}),
  'claim pending': object('v1', 'PersistentVolumeClaim', { status: { phase: 'Pending' } }),
  'claim lost': object('v1', 'PersistentVolumeClaim', { status: { phase: 'Lost' } }),
  'claim bound': object('v1', 'PersistentVolumeClaim', { status: { phase: 'Bound' } }),

  'service without type': object('v1', 'Service', { spec: {} }),
  'service of cluster': object('v1', 'Service', { spec: { type: 'ClusterIP', clusterIP: 'None' } }),
  'service of balancer without address': object('v1', 'Service', { spec: { type: 'LoadBalancer' } }),
  'service of balancer with an address of the cluster': object('v1', 'Service', { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' } }),

  'definition without status': definition(),
  'definition installing': definition(condition('NamesAccepted', 'True'), condition('Established', 'False', 'Installing')),
  'definition established': definition(condition('NamesAccepted', 'True'), condition('Established', 'True')),
  'definition whose names were refused': definition(
    condition('NamesAccepted', 'False', 'ListKindConflict', '"WidgetList" is in use'),
    condition('Established', 'False', 'NotAccepted', 'not all names are accepted'),
  ),
  'definition not established': definition(condition('Established', 'False', 'NotAccepted', 'not all names are accepted')),

  'disruption budget without status': object('policy/v1', 'PodDisruptionBudget', {}),
  'disruption budget with an old observation': object('policy/v1', 'PodDisruptionBudget', {
    metadata: { generation: 2 },
    status: { observedGeneration: 1 },
  }),
  'cron job': object('batch/v1', 'CronJob', {}),
  'config map': object('v1', 'ConfigMap', {}),
  secret: object('v1', 'Secret', {}),
  'secret being deleted': object('v1', 'Secret', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
  'service account': object('v1', 'ServiceAccount', {}),
  'ingress without address': object('networking.k8s.io/v1', 'Ingress', { status: { loadBalancer: {} } }),
  'namespace active': object('v1', 'Namespace', { status: { phase: 'Active' } }),
  'replication controller': object('v1', 'ReplicationController', { spec: { replicas: 2 }, status: { replicas: 1 } }),
  'autoscaler that cannot scale': object('autoscaling/v2', 'HorizontalPodAutoscaler', {
    status: { conditions: [condition('AbleToScale', 'False')] },
  }),
  'api service not available': object('apiregistration.k8s.io/v1', 'APIService', {
    status: { conditions: [condition('Available', 'False')] },
  }),

  'custom without status': custom({}),
  'custom ready': custom({ status: { conditions: [condition('Ready', 'True')] } }),
  'custom not ready': custom({ status: { conditions: [condition('Ready', 'False', 'Building', 'the image is being built')] } }),
  'custom of unknown readiness': custom({ status: { conditions: [condition('Ready', 'Unknown', 'Waiting', 'nobody knows')] } }),
  'custom of strange readiness': custom({ status: { conditions: [condition('Ready', 'Perhaps')] } }),
  'custom ready twice': custom({ status: { conditions: [condition('Ready', 'Perhaps'), condition('Ready', 'False')] } }),
  'custom reconciling': custom({ status: { conditions: [condition('Reconciling', 'True'), condition('Ready', 'True')] } }),
  'custom not reconciling': custom({ status: { conditions: [condition('Reconciling', 'False'), condition('Ready', 'True')] } }),
  'custom stalled': custom({ status: { conditions: [condition('Stalled', 'True'), condition('Ready', 'True')] } }),
  'custom stalled and then reconciling': custom({
    status: { conditions: [condition('Stalled', 'True'), condition('Reconciling', 'True')] },
  }),
  'custom reconciling and then stalled': custom({
    status: { conditions: [condition('Reconciling', 'True'), condition('Stalled', 'True')] },
  }),
  'custom with an old observation': custom({
    metadata: { generation: 4 },
    status: { observedGeneration: 3, conditions: [condition('Ready', 'True')] },
  }),
  'custom with an observation of the future': custom({ metadata: { generation: 4 }, status: { observedGeneration: 5 } }),
  'custom observed without generation': custom({ status: { observedGeneration: 5 } }),
  'custom with generation as text': custom({ metadata: { generation: '4' }, status: { observedGeneration: 3 } }),
  'custom with observation as text': custom({ metadata: { generation: 4 }, status: { observedGeneration: '3' } }),
  'custom with observation as null': custom({ metadata: { generation: 4 }, status: { observedGeneration: null } }),
  'custom with status as text': custom({ metadata: { generation: 4 }, status: 'fine' }),
  'custom with status null': custom({ metadata: { generation: 4 }, status: null }),
  'custom with conditions null': custom({ status: { conditions: null } }),
  'custom with conditions as map': custom({ status: { conditions: { Ready: 'True' } } }),
  'custom with a condition that is text': custom({ status: { conditions: ['Ready'] } }),
  'custom with a condition of number': custom({ status: { conditions: [{ type: 'Ready', status: 1 }] } }),
  'custom with a condition of boolean': custom({ status: { conditions: [{ type: 'Ready', status: true }] } }),
  'custom with a condition of null': custom({ status: { conditions: [{ type: 'Ready', status: 'True', message: null }] } }),
  'custom with a null condition': custom({ status: { conditions: [null, condition('Ready', 'True')] } }),
  'custom being deleted': custom({
    metadata: { generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { observedGeneration: 1, conditions: [condition('Stalled', 'True')] },
  }),
  'custom with an empty time of deletion': custom({ metadata: { deletionTimestamp: '' } }),
  'custom with a time of deletion as null': custom({ metadata: { deletionTimestamp: null } }),
  ...rollouts(),
};

/** Every combination of small counts, for kinds that count. */
function rollouts(): Record<string, KubeObject> {
  const cases: Record<string, KubeObject> = {};
  const small = [0, 1, 2];
  for (const wanted of small) {
    for (const present of small) {
      for (const updated of small) {
        for (const ready of small) {
          const status = { replicas: present, updatedReplicas: updated, readyReplicas: ready, availableReplicas: ready };
          const name = `${wanted} wanted, ${present} present, ${updated} updated, ${ready} ready`;
          cases[`deployment: ${name}`] = deployment({ spec: { replicas: wanted }, status: { ...status, conditions: [available] } });
          cases[`stateful set: ${name}`] = statefulSet({ spec: { replicas: wanted }, status: { ...status, currentReplicas: updated } });
        }
      }
    }
  }
  return cases;
}
