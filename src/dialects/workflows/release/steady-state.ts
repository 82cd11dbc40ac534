import { parseApiVersion, type KubeObject } from '../../../api/object.ts';
import { conditionsOf, integerAt, isStrange, textAt } from '../../../core/delivery/observed-fields.ts';
import { deliveryManager } from '../../../api/work.ts';
import { denialWords } from '../../../core/delivery/explain-refusal.ts';
import { printJson } from '../../../util/json.ts';
import { readMark } from './marks.ts';

export interface SteadyState {
  readonly state: 'steady' | 'waiting' | 'failed';
  /** How far it is, for the log. */
  readonly message: string;
  /** A rule of the member keeps it from getting on. */
  readonly isDenied?: boolean;
}

/** Judges an expression in which `response` is the object as JSON. */
export type JudgeCondition = (condition: string, response: string) => boolean;

export interface SteadyOptions {
  readonly labelPrefix: string;
  /** By which name objects were written. */
  readonly manager?: string | undefined;
  readonly judge: JudgeCondition;
}

/** Whether what was deployed runs as it should. */
export function judgeSteady(obj: KubeObject, options: SteadyOptions): SteadyState {
  try {
    return judge(obj, options);
  } catch (error) {
    if (!isStrange(error)) throw error;
    return waiting(error.message);
  }
}

function judge(obj: KubeObject, options: SteadyOptions): SteadyState {
  const { group } = parseApiVersion(obj.apiVersion);
  switch (`${group}/${obj.kind}`) {
    case 'apps/Deployment':
    case 'extensions/Deployment':
    case 'apps.openshift.io/DeploymentConfig':
      return judgeDeployment(obj, options.manager ?? deliveryManager);
    case 'apps/StatefulSet':
      return judgeStatefulSet(obj);
    case 'apps/DaemonSet':
    case 'extensions/DaemonSet':
      return judgeDaemonSet(obj);
    case 'batch/Job':
      return judgeJob(obj);
    default:
      return judgeCustom(obj, options);
  }
}

const isSeen = (obj: KubeObject): boolean => integerAt(obj, 'status.observedGeneration', 0) >= (obj.metadata.generation ?? 0);

function judgeDeployment(obj: KubeObject, manager: string): SteadyState {
  if (!isSeen(obj)) return waiting('the change has not been seen yet');
  const late = conditionsOf(obj).find(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded');
  const refusal = podRefusal(obj);
  if (late && isSinceApplied(obj, manager)) {
    const message = late.message === '' ? 'the progress deadline was exceeded' : late.message;
    return { state: 'failed', message, ...refusal, ...(refusal && { message: `${message}: ${refusal.message}` }) };
  }
  const wanted = integerAt(obj, 'spec.replicas', 1);
  const updated = integerAt(obj, 'status.updatedReplicas', 0);
  const present = integerAt(obj, 'status.replicas', 0);
  const available = integerAt(obj, 'status.availableReplicas', 0);
  if (updated !== wanted) {
    const message = `${updated} out of ${wanted} new replicas have been updated`;
    return refusal ? { state: 'waiting', ...refusal, message: `${message}: ${refusal.message}` } : waiting(message);
  }
  if (present !== updated) return waiting(`${present - updated} old replicas are pending termination`);
  if (available !== updated) return waiting(`${available} of ${updated} updated replicas are available`);
  return steady(`${available} of ${wanted} replicas are available`);
}

/** Why the member makes no pods of a workload. */
function podRefusal(obj: KubeObject): Pick<SteadyState, 'message' | 'isDenied'> | undefined {
  const refusal = conditionsOf(obj).find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (!refusal || refusal.message === '') return undefined;
  return { message: refusal.message, ...(denialWords(refusal.message) !== undefined && { isDenied: true }) };
}

/** What a rollout before this one came to stays in the status until the member has begun with this one. */
function isSinceApplied(obj: KubeObject, manager: string): boolean {
  const applied = obj.metadata.managedFields?.find(one => one.manager === manager && one.subresource !== 'status')?.time;
  const { conditions } = (obj['status'] ?? {}) as { conditions?: { type: string; lastUpdateTime?: string }[] };
  const said = conditions?.find(({ type }) => type === 'Progressing')?.lastUpdateTime;
  return applied === undefined || said === undefined || Date.parse(said) > Date.parse(applied);
}

function judgeStatefulSet(obj: KubeObject): SteadyState {
  if (!isSeen(obj)) return waiting('the change has not been seen yet');
  const wanted = integerAt(obj, 'spec.replicas', 1);
  const ready = integerAt(obj, 'status.readyReplicas', 0);
  const updated = integerAt(obj, 'status.updatedReplicas', 0);
  const partition = integerAt(obj, 'spec.updateStrategy.rollingUpdate.partition', 0);
  const isRolling = textAt(obj, 'spec.updateStrategy.type', 'RollingUpdate') === 'RollingUpdate';
  if (isRolling && wanted > 0 && updated < wanted - partition)
    return waiting(`${updated} out of ${wanted - partition} new pods have been updated`);
  if (ready !== wanted) return waiting(`${ready} of ${wanted} pods are ready`);
  const [present, next] = [textAt(obj, 'status.currentRevision'), textAt(obj, 'status.updateRevision')];
  if (isRolling && partition === 0 && wanted > 0 && present !== next) return waiting(`pods are moving from revision ${present} to ${next}`);
  return steady(`${ready} of ${wanted} pods are ready`);
}

function judgeDaemonSet(obj: KubeObject): SteadyState {
  if (!isSeen(obj)) return waiting('the change has not been seen yet');
  const wanted = integerAt(obj, 'status.desiredNumberScheduled', 0);
  const updated = integerAt(obj, 'status.updatedNumberScheduled', 0);
  const available = integerAt(obj, 'status.numberAvailable', 0);
  if (updated !== wanted) return waiting(`${updated} out of ${wanted} new pods have been updated`);
  if (available !== wanted) return waiting(`${available} of ${wanted} updated pods are available`);
  return steady(`${available} of ${wanted} pods are available`);
}

function judgeJob(obj: KubeObject): SteadyState {
  for (const { type, status, message } of conditionsOf(obj)) {
    if (type === 'Complete' && status === 'True') return steady('the Job is complete');
    if (type === 'Failed' && status === 'True') return { state: 'failed', message: message === '' ? 'the Job has failed' : message };
  }
  return waiting(`${integerAt(obj, 'status.active', 0)} pods are active`);
}

function judgeCustom(obj: KubeObject, { labelPrefix, judge: holds }: SteadyOptions): SteadyState {
  const condition = readMark(obj.metadata.annotations, labelPrefix, 'steadyStateCondition');
  if (condition === undefined) return steady('there is nothing to wait for');
  return holds(condition, printJson(obj)) ? steady('the condition holds') : waiting('the condition does not hold yet');
}

const steady = (message: string): SteadyState => ({ state: 'steady', message });
const waiting = (message: string): SteadyState => ({ state: 'waiting', message });
