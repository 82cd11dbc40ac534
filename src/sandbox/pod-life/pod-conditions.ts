import type { ContainerStatus, PodCondition, PodSpec, PodStatus } from '../../api/kubernetes.ts';
import { timestamp } from '../../util/timestamp.ts';
import type { Stored } from '../controllers/stored-object.ts';
import type { Pod } from '../../api/kubernetes.ts';

const kubeletTypes = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'] as const;

interface Judgement {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

const yes: Judgement = { status: 'True' };

/** The conditions of a pod on its node, in the order of the kubelet; those of others are kept behind them. */
export function conditionsOf(pod: Stored<Pod>, status: PodStatus, now: Date): PodCondition[] {
  const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
  const mains = status.containerStatuses ?? [];
  const before = new Map((pod.status?.conditions ?? []).map(condition => [condition.type, condition]));
  const gates = (pod.spec.readinessGates ?? []).map(gate => gate.conditionType);
  const containersReady = isOver ? notReady(status.phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed') : readinessOf(mains, pod.spec);
  const judgements: Record<(typeof kubeletTypes)[number], Judgement> = {
    PodReadyToStartContainers: { status: isOver ? 'False' : 'True' },
    Initialized: initialized(pod.spec, status, isOver),
    Ready: containersReady.status === 'True' ? gatesOf(gates, before) : containersReady,
    ContainersReady: containersReady,
    PodScheduled: yes,
  };
  const write = (type: string, judged: Judgement) => conditionAt(type, judged, before.get(type), pod.metadata.generation, now);
  // Nobody in a sandbox would open a readiness gate, so it stands open until somebody closes it.
  const opened = gates.filter(type => !before.has(type)).map(type => write(type, yes));
  const others = (pod.status?.conditions ?? []).filter(({ type }) => !kubeletTypes.some(own => own === type));
  return [...kubeletTypes.map(type => write(type, judgements[type])), ...others, ...opened];
}

function conditionAt(
  type: string,
  { status, reason, message }: Judgement,
  before: PodCondition | undefined,
  observedGeneration: number | undefined,
  now: Date,
): PodCondition {
  const since = before?.status === status ? before.lastTransitionTime : undefined;
  return {
    type,
    ...(observedGeneration !== undefined && { observedGeneration }),
    status,
    // Go prints a time that was never set as null.
    lastProbeTime: null as unknown as string,
    lastTransitionTime: since ?? timestamp(now),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

const notReady = (reason: string, message?: string): Judgement => ({ status: 'False', reason, ...(message !== undefined && { message }) });

function readinessOf(statuses: readonly ContainerStatus[], spec: PodSpec): Judgement {
  const unready = (spec.containers ?? []).map(c => c.name).filter(name => !statuses.find(status => status.name === name)?.ready);
  return unready.length === 0 ? yes : notReady('ContainersNotReady', `containers with unready status: [${unready.join(' ')}]`);
}

function initialized(spec: PodSpec, status: PodStatus, isOver: boolean): Judgement {
  const isIncomplete = (name: string) => {
    const init = (status.initContainerStatuses ?? []).find(one => one.name === name);
    return !(init?.ready || init?.started || init?.state?.terminated?.exitCode === 0);
  };
  const incomplete = isOver ? [] : (spec.initContainers ?? []).map(c => c.name).filter(isIncomplete);
  if (incomplete.length === 0) return status.phase === 'Succeeded' ? { status: 'True', reason: 'PodCompleted' } : yes;
  return notReady('ContainersNotInitialized', `containers with incomplete status: [${incomplete.join(' ')}]`);
}

function gatesOf(gates: readonly string[], before: ReadonlyMap<string, PodCondition>): Judgement {
  const closed = gates.flatMap(type => {
    const condition = before.get(type);
    return condition && condition.status !== 'True'
      ? [`the status of pod readiness gate "${type}" is not "True", but ${condition.status}`]
      : [];
  });
  return closed.length === 0 ? yes : notReady('ReadinessGatesNotReady', closed.join(', '));
}
