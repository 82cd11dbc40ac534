import { parseApiVersion, type KubeObject } from '../../../api/object.ts';
import { managementGroup, provisioningGroup } from '../names.ts';
import { stateOf } from '../v3/resource-state.ts';

/** What has become of an object, in the words of Rancher. */
export interface ObjectState {
  readonly name: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  readonly message: string;
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
}

interface Observed {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly updatedReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberReady?: number;
  readonly updatedNumberScheduled?: number;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly {
    readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
  }[];
}

const settled = (name: string): ObjectState => ({ name, error: false, transitioning: false, message: '' });
const underWay = (name: string, message = ''): ObjectState => ({ name, error: false, transitioning: true, message });
const failed = (name: string, message = ''): ObjectState => ({ name, error: true, transitioning: false, message });

/** Reasons why a container waits that time alone does not mend. */
const brokenContainer = /BackOff$|^Err|^Create.*Error$|^InvalidImageName$/;

export function objectState(obj: KubeObject): ObjectState {
  const { metadata } = obj;
  const status = (obj['status'] ?? {}) as Observed;
  if (metadata.deletionTimestamp !== undefined) {
    const [finalizer] = metadata.finalizers ?? [];
    return underWay('removing', finalizer === undefined ? '' : `waiting on ${finalizer}`);
  }
  const { group } = parseApiVersion(obj.apiVersion);
  if (group === managementGroup || group === provisioningGroup) return rancherState(obj);
  if (group === '' && obj.kind === 'Pod') return podState(status);
  return workloadState(obj, status) ?? conditionState(status.conditions ?? []) ?? phaseState(status);
}

function rancherState(obj: KubeObject): ObjectState {
  const { state, transitioning, transitioningMessage } = stateOf(obj, new Date());
  return { name: state, error: transitioning === 'error', transitioning: transitioning === 'yes', message: transitioningMessage };
}

function podState({ phase = 'Pending', reason, message = '', containerStatuses = [] }: Observed): ObjectState {
  const broken = containerStatuses.map(one => one.state?.waiting).find(waiting => brokenContainer.test(waiting?.reason ?? ''));
  if (broken) return failed(broken.reason!.toLowerCase(), broken.message);
  if (phase === 'Failed') return failed((reason ?? phase).toLowerCase(), message);
  return phase === 'Pending' ? underWay('pending', message) : settled(phase.toLowerCase());
}

/** Of what runs copies of a pod. */
function workloadState(obj: KubeObject, status: Observed): ObjectState | undefined {
  const copies = copiesOf(obj, status);
  if (!copies) return undefined;
  const isSeen = (status.observedGeneration ?? 0) >= (obj.metadata.generation ?? 0);
  if (isSeen && copies.updated >= copies.wanted && copies.ready >= copies.wanted) return settled('active');
  const stuck = status.conditions?.find(({ type, status: is }) => type === 'Progressing' && is === 'False');
  if (stuck) return failed('error', stuck.message);
  return underWay('updating', `${copies.ready} of ${copies.wanted} ready`);
}

/** How many copies something that runs pods should have, and has. Undefined for everything else. */
function copiesOf(obj: KubeObject, status: Observed): { wanted: number; ready: number; updated: number } | undefined {
  const wanted = (obj['spec'] as { replicas?: number } | undefined)?.replicas ?? 1;
  const { readyReplicas: ready = 0 } = status;
  switch (obj.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return { wanted, ready, updated: status.updatedReplicas ?? 0 };
    case 'ReplicaSet':
    case 'ReplicationController':
      return { wanted, ready, updated: status.replicas ?? 0 };
    case 'DaemonSet':
      return { wanted: status.desiredNumberScheduled ?? 0, ready: status.numberReady ?? 0, updated: status.updatedNumberScheduled ?? 0 };
    default:
      return undefined;
  }
}

function conditionState(conditions: readonly Condition[]): ObjectState | undefined {
  const find = (type: string, is: string) => conditions.find(one => one.type === type && one.status === is);
  const broken = find('Stalled', 'True') ?? find('Failed', 'True');
  if (broken) return failed(broken.type!.toLowerCase(), broken.message);
  const busy = find('Reconciling', 'True');
  if (busy) return underWay('reconciling', busy.message);
  const unready = find('Ready', 'False') ?? find('Ready', 'Unknown');
  if (unready) return underWay('in-progress', unready.message);
  return find('Complete', 'True') ? settled('succeeded') : undefined;
}

function phaseState({ phase, message }: Observed): ObjectState {
  if (phase === undefined || phase === '') return settled('active');
  if (phase === 'Terminating') return underWay('removing', message);
  if (phase === 'Failed' || phase === 'Lost') return failed(phase.toLowerCase(), message);
  return phase === 'Pending' ? underWay('pending', message) : settled(phase.toLowerCase());
}
