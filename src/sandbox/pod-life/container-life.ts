import type { ContainerStateTerminated, ContainerStatus } from '../../api/kubernetes.ts';
import { printGoDuration } from '../../apiserver/schema/go-time.ts';
import { timestamp } from '../../util/timestamp.ts';
import { containerIdOf, imageIdOf, withRegistry, withTag } from './container-identity.ts';
import type { Behavior } from './pod-behavior.ts';

/** One container and everything that decides how it goes on. */
export interface ContainerPlan {
  readonly name: string;
  readonly image: string;
  readonly isInit: boolean;
  readonly behavior: Behavior;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  readonly readyAfterMs: number;
  /** How long it runs before it ends by itself, when its behavior is to end. */
  readonly runMs: number;
  readonly exitCode: number;
  readonly podUid: string;
  /** `web-1_default(uid)`, as the kubelet names pods in messages. */
  readonly podLabel: string;
}

/** A container's status now, and when time alone will change it. */
export interface ContainerStep {
  readonly status: ContainerStatus;
  readonly wakeAt?: number;
}

const endingBehaviors: ReadonlySet<Behavior> = new Set(['complete', 'crash', 'oom']);
const firstBackOffMs = 10_000;
const maxBackOffMs = 300_000;
/** A container that ran so long before it failed starts with the shortest back-off again. */
const forgivenAfterMs = 600_000;

/** What becomes of a container by now: at most one start, so that everybody can see it run. */
export function advanceContainer(plan: ContainerPlan, before: ContainerStatus | undefined, now: number): ContainerStep {
  if (!before || !hasRun(before)) return waitingReason(plan, before, now) ?? running(plan, started(plan, {}, 0, now), now);
  if (!before.state?.running) return afterEnd(plan, before, now);
  if (before.image !== plan.image)
    return running(plan, started(plan, { terminated: ended(plan, before, now) }, before.restartCount + 1, now), now);
  const endsAt = endOf(plan, before);
  return endsAt !== undefined && now >= endsAt ? afterEnd(plan, terminatedStatus(plan, before, now), now) : running(plan, before, now);
}

const hasRun = ({ state, lastState }: ContainerStatus) => Boolean(state?.running ?? state?.terminated ?? lastState?.terminated);

function running(plan: ContainerPlan, status: ContainerStatus, now: number): ContainerStep {
  const readyAt = startOf(status) + plan.readyAfterMs;
  const isReady = plan.behavior !== 'not-ready' && now >= readyAt;
  const next = status.ready === isReady && status.started === isReady ? status : { ...status, ready: isReady, started: isReady };
  const wakes = [isReady || plan.behavior === 'not-ready' ? undefined : readyAt, endOf(plan, status)].filter(at => at !== undefined);
  return wakes.length > 0 ? { status: next, wakeAt: Math.min(...wakes) } : { status: next };
}

const startOf = (status: ContainerStatus) => Date.parse(status.state?.running?.startedAt ?? '');
const endOf = (plan: ContainerPlan, status: ContainerStatus) =>
  endingBehaviors.has(plan.behavior) ? startOf(status) + plan.runMs : undefined;

function afterEnd(plan: ContainerPlan, status: ContainerStatus, now: number): ContainerStep {
  const terminated = status.state?.terminated;
  const last = terminated ?? status.lastState?.terminated;
  if (!last || !restarts(plan, last)) return { status };
  const dueAt = Date.parse(last.finishedAt ?? '') + backOffMs(status.restartCount, last);
  if (now < dueAt) return { status: terminated ? backingOff(plan, status, terminated) : status, wakeAt: dueAt };
  return running(plan, started(plan, { terminated: last }, status.restartCount + 1, now), now);
}

function restarts({ restartPolicy }: ContainerPlan, { exitCode }: ContainerStateTerminated): boolean {
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}

/** The first restart is free; those after it wait longer and longer. */
function backOffMs(restartCount: number, last: ContainerStateTerminated): number {
  if (restartCount === 0) return 0;
  const ranMs = Date.parse(last.finishedAt ?? '') - Date.parse(last.startedAt ?? '');
  if (ranMs >= forgivenAfterMs) return firstBackOffMs;
  return Math.min(firstBackOffMs * 2 ** Math.min(restartCount - 1, 10), maxBackOffMs);
}

function backingOff(plan: ContainerPlan, status: ContainerStatus, terminated: ContainerStateTerminated): ContainerStatus {
  const delay = printGoDuration(BigInt(backOffMs(status.restartCount, terminated)) * 1_000_000n);
  const message = `back-off ${delay} restarting failed container=${plan.name} pod=${plan.podLabel}`;
  return {
    ...status,
    state: { waiting: { reason: 'CrashLoopBackOff', message } },
    lastState: { terminated },
    ready: false,
    started: false,
  };
}

function started(
  plan: ContainerPlan,
  lastState: ContainerStatus['lastState'] & object,
  restartCount: number,
  now: number,
): ContainerStatus {
  return {
    name: plan.name,
    state: { running: { startedAt: timestamp(new Date(now)) } },
    lastState,
    ready: false,
    restartCount,
    image: plan.image,
    imageID: imageIdOf(plan.image),
    containerID: containerIdOf(plan.podUid, plan.name, restartCount),
    started: false,
  };
}

function ended(plan: ContainerPlan, status: ContainerStatus, now: number): ContainerStateTerminated {
  const isOom = plan.behavior === 'oom';
  const exitCode = isOom ? 137 : plan.exitCode;
  return terminatedState(status, exitCode, isOom ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error', now);
}

function terminatedState(status: ContainerStatus, exitCode: number, reason: string, now: number): ContainerStateTerminated {
  const finishedAt = timestamp(new Date(now));
  return {
    exitCode,
    reason,
    startedAt: status.state?.running?.startedAt ?? finishedAt,
    finishedAt,
    ...(status.containerID !== undefined && { containerID: status.containerID }),
  };
}

function terminatedStatus(plan: ContainerPlan, status: ContainerStatus, now: number): ContainerStatus {
  const terminated = ended(plan, status, now);
  return { ...status, state: { terminated }, ready: plan.isInit && terminated.exitCode === 0, started: false };
}

/** A running container after it was told to end and did: well, or because its time was up. */
export function stopped(status: ContainerStatus, { exitCode, reason }: { exitCode: number; reason: string }, now: number): ContainerStatus {
  if (!status.state?.running) return { ...status, ready: status.ready && status.state?.terminated !== undefined, started: false };
  return { ...status, state: { terminated: terminatedState(status, exitCode, reason, now) }, ready: false, started: false };
}

/** States in which a container does not come to run. */
function waitingReason(plan: ContainerPlan, before: ContainerStatus | undefined, now: number): ContainerStep | undefined {
  if (plan.behavior === 'hang') return { status: notStarted(plan, { reason: 'ContainerCreating' }) };
  if (plan.behavior === 'image-pull-error') return pullFailure(plan, before, now);
  if (plan.behavior !== 'config-error') return undefined;
  return { status: notStarted(plan, { reason: 'CreateContainerConfigError', message: 'configmap "missing" not found' }) };
}

function pullFailure(plan: ContainerPlan, before: ContainerStatus | undefined, now: number): ContainerStep {
  const reference = withTag(withRegistry(plan.image));
  const problem = `failed to pull and unpack image "${reference}": failed to resolve reference "${reference}": ${reference}: not found`;
  const reason = before?.image === plan.image ? before.state?.waiting?.reason : undefined;
  if (before && reason === 'ImagePullBackOff') return { status: before };
  const backOff = `Back-off pulling image "${plan.image}": ErrImagePull: ${problem}`;
  if (reason === 'ErrImagePull') return { status: notStarted(plan, { reason: 'ImagePullBackOff', message: backOff }) };
  return { status: notStarted(plan, { reason: 'ErrImagePull', message: problem }), wakeAt: now };
}

export function notStarted(plan: { name: string; image: string }, waiting: { reason: string; message?: string }): ContainerStatus {
  return {
    name: plan.name,
    state: { waiting },
    lastState: {},
    ready: false,
    restartCount: 0,
    image: plan.image,
    imageID: '',
    started: false,
  };
}
