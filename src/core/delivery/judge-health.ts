import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import type { DeliveredObject } from '../../api/work.ts';
import { conditionsOf, deletionTimeOf, integerAt, isStrange, strictInteger, textAt, type Condition } from './observed-fields.ts';

export interface Health {
  readonly health: DeliveredObject['health'];
  readonly message?: string;
}

/** How long a pod may wait for a node before that counts as a failure. */
export const scheduleWindowMs = 15_000;
/** What a Deployment without a deadline for its progress has. */
const noDeadline = 2 ** 31 - 1;

type Judge = (obj: KubeObject, nowMs: number) => Health;

const judges: Readonly<Record<string, Judge>> = {
  Service: judgeService,
  Pod: judgePod,
  Secret: () => current('Resource is always ready'),
  ConfigMap: () => current('Resource is always ready'),
  PersistentVolumeClaim: judgeClaim,
  'apps/StatefulSet': judgeStatefulSet,
  'apps/DaemonSet': judgeDaemonSet,
  'extensions/DaemonSet': judgeDaemonSet,
  'apps/Deployment': judgeDeployment,
  'extensions/Deployment': judgeDeployment,
  'apps/ReplicaSet': judgeReplicaSet,
  'extensions/ReplicaSet': judgeReplicaSet,
  'policy/PodDisruptionBudget': () => current('AllowedDisruptions has been computed.'),
  'batch/CronJob': () => current('Resource is always ready'),
  'batch/Job': judgeJob,
  'apiextensions.k8s.io/CustomResourceDefinition': judgeDefinition,
};

/** How an object of a member is, by the rules of kstatus, which Helm waits by. Its words are kept: people search for them. */
export function judgeHealth(obj: KubeObject | undefined, nowMs = Date.now()): Health {
  if (!obj) return { health: 'NotFound', message: 'Resource not found' };
  const { group } = parseApiVersion(obj.apiVersion);
  const judge = judges[group === '' ? obj.kind : `${group}/${obj.kind}`];
  try {
    return judgeAny(obj) ?? judge?.(obj, nowMs) ?? judgeReady(obj) ?? current('Resource is current');
  } catch (error) {
    if (!isStrange(error)) throw error;
    return { health: 'Unknown', message: error.message };
  }
}

/** What holds for every kind. */
function judgeAny(obj: KubeObject): Health | undefined {
  if (deletionTimeOf(obj) !== '') return { health: 'Terminating', message: 'Resource scheduled for deletion' };
  const generation = generationOf(obj);
  const observed = generation === undefined ? undefined : observedGenerationOf(obj);
  if (generation !== undefined && observed !== undefined && observed !== generation) {
    return progressing(`${obj.kind} generation is ${generation}, but latest observed generation is ${observed}`);
  }
  for (const { type, status, message } of conditionsOf(obj)) {
    if (type === 'Reconciling' && status === 'True') return progressing(message);
    if (type === 'Stalled' && status === 'True') return failed(message);
  }
  return undefined;
}

/** For kinds that have no rule of their own. */
function judgeReady(obj: KubeObject): Health | undefined {
  for (const { type, status, message } of conditionsOf(obj)) {
    if (type !== 'Ready') continue;
    if (status === 'True') return current('Resource is Ready');
    if (status === 'False' || status === 'Unknown') return progressing(message);
  }
  return undefined;
}

function judgeStatefulSet(obj: KubeObject): Health {
  if (textAt(obj, 'spec.updateStrategy.type') === 'OnDelete') return current('StatefulSet is using the ondelete update strategy');
  const wanted = integerAt(obj, 'spec.replicas', 1);
  const ready = integerAt(obj, 'status.readyReplicas', 0);
  const ofCurrent = integerAt(obj, 'status.currentReplicas', 0);
  const updated = integerAt(obj, 'status.updatedReplicas', 0);
  const present = integerAt(obj, 'status.replicas', 0);
  const partition = integerAt(obj, 'spec.updateStrategy.rollingUpdate.partition', -1);

  if (wanted > present) return progressing(`Replicas: ${present}/${wanted}`);
  if (wanted > ready) return progressing(`Ready: ${ready}/${wanted}`);
  if (present > wanted) return progressing(`Pending termination: ${present - wanted}`);
  if (partition !== -1) {
    if (updated < wanted - partition) return progressing(`updated: ${updated}/${wanted - partition}`);
    return current(`Partition rollout complete. updated: ${updated}`);
  }
  if (wanted > ofCurrent) return progressing(`current: ${ofCurrent}/${wanted}`);
  if (textAt(obj, 'status.currentRevision') !== textAt(obj, 'status.updateRevision')) {
    return progressing('Waiting for updated revision to match current');
  }
  return current(`All replicas scheduled as expected. Replicas: ${present}`);
}

function judgeDeployment(obj: KubeObject): Health {
  let isProgressing = integerAt(obj, 'spec.progressDeadlineSeconds', noDeadline) === noDeadline;
  let isAvailable = false;
  for (const { type, status, reason } of conditionsOf(obj)) {
    if (type === 'Progressing' && reason === 'ProgressDeadlineExceeded') return failed('Progress deadline exceeded');
    if (type === 'Progressing' && status === 'True' && reason === 'NewReplicaSetAvailable') isProgressing = true;
    if (type === 'Available' && status === 'True') isAvailable = true;
  }
  const wanted = integerAt(obj, 'spec.replicas', 1);
  const present = integerAt(obj, 'status.replicas', 0);
  const updated = integerAt(obj, 'status.updatedReplicas', 0);
  const ready = integerAt(obj, 'status.readyReplicas', 0);
  const available = integerAt(obj, 'status.availableReplicas', 0);

  if (wanted > present) return progressing(`Replicas: ${present}/${wanted}`);
  if (wanted > updated) return progressing(`Updated: ${updated}/${wanted}`);
  if (present > wanted) return progressing(`Pending termination: ${present - wanted}`);
  if (updated > available) return progressing(`Available: ${available}/${updated}`);
  if (wanted > ready) return progressing(`Ready: ${ready}/${wanted}`);
  if (!isProgressing) return progressing('ReplicaSet not Available');
  if (!isAvailable) return progressing('Deployment not Available');
  return current(`Deployment is available. Replicas: ${present}`);
}

function judgeReplicaSet(obj: KubeObject): Health {
  if (hasCondition(conditionsOf(obj), 'ReplicaFailure', 'True')) return progressing('Replica Failure condition. Check Pods');
  const wanted = integerAt(obj, 'spec.replicas', 1);
  const present = integerAt(obj, 'status.replicas', 0);
  const ready = integerAt(obj, 'status.readyReplicas', 0);
  const available = integerAt(obj, 'status.availableReplicas', 0);
  const labelled = integerAt(obj, 'status.fullyLabeledReplicas', 0);

  if (wanted > labelled) return progressing(`Labelled: ${labelled}/${wanted}`);
  if (wanted > available) return progressing(`Available: ${available}/${wanted}`);
  if (wanted > ready) return progressing(`Ready: ${ready}/${wanted}`);
  if (present > wanted) return progressing(`Pending termination: ${present - wanted}`);
  return current(`ReplicaSet is available. Replicas: ${present}`);
}

function judgeDaemonSet(obj: KubeObject): Health {
  // Its controller always writes both, so without them it has not looked yet.
  if (generationOf(obj) === undefined) return progressing(`${obj.kind} metadata.generation not found`);
  if (observedGenerationOf(obj) === undefined) return progressing(`${obj.kind} status.observedGeneration not found`);
  const wanted = integerAt(obj, 'status.desiredNumberScheduled', -1);
  const present = integerAt(obj, 'status.currentNumberScheduled', 0);
  const updated = integerAt(obj, 'status.updatedNumberScheduled', 0);
  const available = integerAt(obj, 'status.numberAvailable', 0);
  const ready = integerAt(obj, 'status.numberReady', 0);

  if (wanted === -1) return progressing('Missing .status.desiredNumberScheduled');
  if (wanted > present) return progressing(`Current: ${present}/${wanted}`);
  if (wanted > updated) return progressing(`Updated: ${updated}/${wanted}`);
  if (wanted > available) return progressing(`Available: ${available}/${wanted}`);
  if (wanted > ready) return progressing(`Ready: ${ready}/${wanted}`);
  return current(`All replicas scheduled as expected. Replicas: ${wanted}`);
}

function judgeClaim(obj: KubeObject): Health {
  const phase = textAt(obj, 'status.phase', 'unknown');
  return phase === 'Bound' ? current('PVC is Bound') : progressing(`PVC is not Bound. phase: ${phase}`);
}

function judgePod(obj: KubeObject, nowMs: number): Health {
  const conditions = conditionsOf(obj);
  const phase = textAt(obj, 'status.phase');
  switch (phase) {
    case 'Succeeded':
      return current('Pod has completed successfully');
    case 'Failed':
      return current('Pod has completed, but not successfully');
    case 'Running':
      return judgeRunningPod(obj, conditions);
    case 'Pending':
      return judgePendingPod(obj, conditions, nowMs);
    case '':
      return progressing('Pod phase not available');
    default:
      return { health: 'Unknown', message: `unknown phase ${phase}` };
  }
}

function judgeRunningPod(obj: KubeObject, conditions: readonly Condition[]): Health {
  if (hasCondition(conditions, 'Ready', 'True')) return current('Pod is Ready');
  const crashing = crashingContainers(obj);
  if (crashing.length > 0) return failed(`Containers in CrashLoop state: ${crashing.join(',')}`);
  return progressing('Pod is running but is not Ready');
}

function judgePendingPod(obj: KubeObject, conditions: readonly Condition[], nowMs: number): Health {
  const scheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (scheduled?.reason !== 'Unschedulable') return progressing('Pod is in the Pending phase');
  const createdAtMs = Date.parse(obj.metadata.creationTimestamp ?? '');
  if (nowMs - scheduleWindowMs < createdAtMs) return progressing('Pod has not been scheduled');
  return failed('Pod could not be scheduled');
}

function crashingContainers(obj: KubeObject): string[] {
  const { containerStatuses } = (obj['status'] ?? {}) as { containerStatuses?: unknown };
  if (!Array.isArray(containerStatuses)) return [];
  const statuses = containerStatuses as ({ name?: string; state?: { waiting?: { reason?: string } } } | null)[];
  return statuses.filter(one => one?.state?.waiting?.reason === 'CrashLoopBackOff').map(one => one?.name ?? '');
}

function judgeJob(obj: KubeObject): Health {
  const completions = integerAt(obj, 'spec.completions', integerAt(obj, 'spec.parallelism', 1));
  const succeeded = integerAt(obj, 'status.succeeded', 0);
  const active = integerAt(obj, 'status.active', 0);
  const failures = integerAt(obj, 'status.failed', 0);
  for (const { type, status } of conditionsOf(obj)) {
    if (type === 'Complete' && status === 'True') return current(`Job Completed. succeeded: ${succeeded}/${completions}`);
    if (type === 'Failed' && status === 'True') return failed(`Job Failed. failed: ${failures}/${completions}`);
  }
  if (textAt(obj, 'status.startTime') === '') return progressing('Job not started');
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failures}`);
}

function judgeService(obj: KubeObject): Health {
  if (textAt(obj, 'spec.type', 'ClusterIP') === 'LoadBalancer' && textAt(obj, 'spec.clusterIP') === '') {
    return progressing('ClusterIP not set. Service type: LoadBalancer');
  }
  return current('Service is ready');
}

function judgeDefinition(obj: KubeObject): Health {
  for (const { type, status, reason, message } of conditionsOf(obj)) {
    if (type === 'NamesAccepted' && status === 'False') return failed(message);
    if (type !== 'Established') continue;
    if (status === 'False' && reason !== 'Installing') return failed(message);
    if (status === 'True') return current('CRD is established');
  }
  return progressing('Install in progress');
}

const generationOf = (obj: KubeObject): number | undefined => strictInteger(obj, 'metadata.generation');
const observedGenerationOf = (obj: KubeObject): number | undefined => strictInteger(obj, 'status.observedGeneration');

function hasCondition(conditions: readonly Condition[], wantedType: string, wantedStatus: string): boolean {
  return conditions.some(({ type, status }) => type === wantedType && status === wantedStatus);
}

const current = (message: string): Health => ({ health: 'Current', message });
const progressing = (message: string): Health => ({ health: 'InProgress', message });
const failed = (message: string): Health => ({ health: 'Failed', message });
