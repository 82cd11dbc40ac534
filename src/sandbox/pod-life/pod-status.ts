import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/kubernetes.ts';
import { jsonEqual } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import { controllerOf, type Stored } from '../controllers/stored-object.ts';
import type { Rejection } from './admit-pod.ts';
import { advanceContainer, notStarted, stopped, type ContainerPlan, type ContainerStep } from './container-life.ts';
import { readPodBehavior, type PodBehavior } from './pod-behavior.ts';
import { conditionsOf } from './pod-conditions.ts';

export interface PodFacts {
  readonly hostIps: readonly string[];
  /** The pod's own addresses, unless it uses its host's. */
  readonly podIps: readonly string[];
}

/** What a pod's status should be now, and when time alone will change it. */
export interface PodStep {
  readonly status: PodStatus;
  readonly wakeAt?: number;
}

/** The status of a pod on its node at this moment: a function of the pod as it was, its annotations and the clock. */
export function podStatusAt(pod: Stored<Pod>, facts: PodFacts, now: Date): PodStep {
  const before = pod.status ?? {};
  if (before.phase === 'Succeeded' || before.phase === 'Failed') return { status: before };
  const behavior = behaviorOf(pod);
  const startTime = before.startTime ?? timestamp(now);
  const base: PodStatus = { ...before, startTime, ...addressesOf(facts) };
  const deadline = deadlineOf(pod, startTime);

  if (deadline !== undefined && now.getTime() >= deadline) return { status: failed(pod, base, deadlineExceeded, now) };
  if (isEvicted(pod, behavior)) return { status: failed(pod, withStatuses(base, pod, behavior, now).status, evicted, now) };
  const { status, wakeAt } = withStatuses(base, pod, behavior, now);
  const next = finish(pod, { ...status, phase: phaseOf(pod, status) }, now);
  const wakes = [wakeAt, deadline].filter(at => at !== undefined);
  const isOver = next.phase === 'Succeeded' || next.phase === 'Failed';
  return { status: next, ...(wakes.length > 0 && !isOver && { wakeAt: Math.min(...wakes) }) };
}

/** The status of a pod that its node refuses. */
export function rejectedPodStatus(pod: Stored<Pod>, { reason, message }: Rejection, now: Date): PodStatus {
  return { ...pod.status, phase: 'Failed', reason, message, startTime: timestamp(now) };
}

/** How a pod behaves: the pods of Jobs and of Helm's hooks are tasks. */
export function behaviorOf(pod: Stored<Pod>): PodBehavior {
  const { annotations } = pod.metadata;
  const isHook = annotations?.['helm.sh/hook'] !== undefined && pod.spec.restartPolicy !== 'Always';
  return readPodBehavior({ annotations, isTask: isHook || controllerOf(pod)?.kind === 'Job' });
}

/** The last status of a pod that was told to end, and has. */
export function endedPodStatus(pod: Stored<Pod>, now: Date): PodStatus {
  const before = pod.status ?? {};
  if (before.phase === 'Succeeded' || before.phase === 'Failed') return before;
  const end = (list: readonly ContainerStatus[] = []) => list.map(one => stopped(one, terminatedBySignal, now.getTime()));
  const status: PodStatus = { ...before, containerStatuses: end(before.containerStatuses) };
  if (before.initContainerStatuses) status.initContainerStatuses = end(before.initContainerStatuses);
  return finish(pod, { ...status, phase: 'Failed' }, now);
}

/** What most processes end with when they are asked to. */
const terminatedBySignal = { exitCode: 143, reason: 'Error' };

const deadlineExceeded = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
  disruption: undefined,
};
const evicted = {
  reason: 'Evicted',
  message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. ',
  disruption: 'TerminationByKubelet',
};

function failed(pod: Stored<Pod>, base: PodStatus, why: typeof deadlineExceeded | typeof evicted, now: Date): PodStatus {
  const end = (list: readonly ContainerStatus[] = []) => list.map(one => stopped(one, { exitCode: 137, reason: 'Error' }, now.getTime()));
  const status: PodStatus = { ...base, phase: 'Failed', reason: why.reason, message: why.message };
  if (base.containerStatuses) status.containerStatuses = end(base.containerStatuses);
  if (base.initContainerStatuses) status.initContainerStatuses = end(base.initContainerStatuses);
  const done = finish(pod, status, now);
  if (why.disruption === undefined) return done;
  const target = { type: 'DisruptionTarget', status: 'True', reason: why.disruption, message: why.message };
  return { ...done, conditions: [...(done.conditions ?? []), { ...target, lastTransitionTime: timestamp(now) }] };
}

function finish(pod: Stored<Pod>, status: PodStatus, now: Date): PodStatus {
  const { generation } = pod.metadata;
  const observed = generation === undefined ? status : { ...status, observedGeneration: generation };
  return { ...observed, conditions: conditionsOf(pod, observed, now) };
}

const addressesOf = ({ hostIps, podIps }: PodFacts): Partial<PodStatus> => ({
  ...(hostIps[0] !== undefined && { hostIP: hostIps[0], hostIPs: hostIps.map(ip => ({ ip })) }),
  ...(podIps[0] !== undefined && { podIP: podIps[0], podIPs: podIps.map(ip => ({ ip })) }),
});

function deadlineOf({ spec }: Stored<Pod>, startTime: string): number | undefined {
  return spec.activeDeadlineSeconds === undefined ? undefined : Date.parse(startTime) + spec.activeDeadlineSeconds * 1000;
}

const isEvicted = ({ spec }: Stored<Pod>, behavior: PodBehavior) =>
  (spec.containers ?? []).some(c => behavior.of(c.name, false) === 'evict');

const isSidecar = (container: Container) => container.restartPolicy === 'Always';

/** Init containers one after the other, then the containers together; sidecars end when these have. */
function withStatuses(base: PodStatus, pod: Stored<Pod>, behavior: PodBehavior, now: Date): PodStep {
  const wakes: number[] = [];
  const nowMs = now.getTime();
  const take = ({ status, wakeAt }: ContainerStep) => {
    if (wakeAt !== undefined) wakes.push(wakeAt);
    return status;
  };
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec;
  let isBlocked = false;
  let inits = initContainers.map(container => {
    const plan = planOf(pod, container, behavior, true);
    const known = (base.initContainerStatuses ?? []).find(one => one.name === container.name);
    if (isBlocked) return known ?? notStarted(plan, { reason: 'PodInitializing' });
    const status = described(container, take(advanceContainer(plan, known, nowMs)));
    isBlocked = isSidecar(container) ? !status.started : status.state?.terminated?.exitCode !== 0;
    return status;
  });
  const blockedReason = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';
  const mains = containers.map(container => {
    const plan = planOf(pod, container, behavior, false);
    const known = (base.containerStatuses ?? []).find(one => one.name === container.name);
    if (isBlocked) return known ?? notStarted(plan, { reason: blockedReason });
    return described(container, take(advanceContainer(plan, known, nowMs)));
  });
  const areDone = mains.length > 0 && mains.every(one => one.state?.terminated && !restartsAfter(pod, one));
  if (areDone) inits = inits.map(one => stopped(one, { exitCode: 0, reason: 'Completed' }, nowMs));

  const status: PodStatus = { ...base, containerStatuses: mains };
  if (initContainers.length > 0) status.initContainerStatuses = inits;
  if (ephemeralContainers.length > 0)
    status.ephemeralContainerStatuses = ephemeralContainers.map(({ name, image = '' }) => {
      const known = (base.ephemeralContainerStatuses ?? []).find(one => one.name === name);
      const plan = { ...planOf(pod, { name, image }, behavior, false), behavior: 'run' as const, restartPolicy: 'Never' as const };
      return advanceContainer(plan, known, nowMs).status;
    });
  return { status, ...(wakes.length > 0 && { wakeAt: Math.min(...wakes) }) };
}

function restartsAfter({ spec }: Stored<Pod>, { state }: ContainerStatus): boolean {
  return spec.restartPolicy === 'Always' || (spec.restartPolicy === 'OnFailure' && state?.terminated?.exitCode !== 0);
}

function planOf(pod: Stored<Pod>, container: Container, behavior: PodBehavior, isInit: boolean): ContainerPlan {
  const { name, namespace = '', uid } = pod.metadata;
  const usual = isInit && isSidecar(container) ? 'run' : behavior.of(container.name, isInit);
  const fails = usual === 'crash';
  return {
    name: container.name,
    image: container.image ?? '',
    isInit,
    behavior: usual,
    restartPolicy: restartPolicyOf(pod, container, isInit),
    readyAfterMs: isInit ? 0 : behavior.readyAfterMs,
    runMs: isInit ? 0 : (behavior.completeAfterMs ?? 0),
    exitCode: isInit && !fails ? 0 : (behavior.exitCode ?? (fails ? 1 : 0)),
    podUid: uid,
    podLabel: `${name}_${namespace}(${uid})`,
  };
}

function restartPolicyOf({ spec }: Stored<Pod>, container: Container, isInit: boolean): ContainerPlan['restartPolicy'] {
  if (isSidecar(container)) return 'Always';
  if (container.restartPolicy === 'Never' || container.restartPolicy === 'OnFailure') return container.restartPolicy;
  if (spec.restartPolicy === 'Never') return 'Never';
  // An init container that has done its work is never run again.
  return spec.restartPolicy === 'OnFailure' || isInit ? 'OnFailure' : 'Always';
}

/** What a kubelet tells of a container besides its state. */
function described(container: Container, status: ContainerStatus): ContainerStatus {
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath, readOnly, recursiveReadOnly }) => ({
    name,
    mountPath,
    ...(readOnly && { readOnly, recursiveReadOnly: recursiveReadOnly === 'Enabled' ? 'Enabled' : 'Disabled' }),
  }));
  const { requests, limits } = container.resources ?? {};
  const resources = { ...(limits && { limits }), ...(requests && { requests }) };
  const next: ContainerStatus = {
    ...status,
    ...(requests && { allocatedResources: requests }),
    ...((requests ?? limits) && { resources }),
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
  return jsonEqual(next, status) ? status : next;
}

/** As the kubelet sums up the containers of a pod. */
function phaseOf({ spec }: Stored<Pod>, { containerStatuses = [], initContainerStatuses = [] }: PodStatus): string {
  const failedInit = (spec.initContainers ?? []).some(container => {
    const status = initContainerStatuses.find(one => one.name === container.name);
    return !isSidecar(container) && spec.restartPolicy === 'Never' && (status?.state?.terminated?.exitCode ?? 0) !== 0;
  });
  if (failedInit) return 'Failed';
  const isWaiting = (one: ContainerStatus) => !one.state?.running && !one.state?.terminated && !one.lastState?.terminated;
  if (containerStatuses.some(isWaiting)) return 'Pending';
  if (containerStatuses.some(one => one.state?.running)) return 'Running';
  const ends = containerStatuses.map(one => (one.state?.terminated ?? one.lastState?.terminated)?.exitCode ?? 0);
  if (spec.restartPolicy === 'Always' || containerStatuses.some(one => one.state?.waiting)) return 'Running';
  if (ends.every(code => code === 0)) return 'Succeeded';
  return spec.restartPolicy === 'Never' ? 'Failed' : 'Running';
}
