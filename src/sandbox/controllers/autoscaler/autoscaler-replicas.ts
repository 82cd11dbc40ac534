import type { Container } from '../../../api/kubernetes.ts';
import { podAmounts } from '../../../api/pod-amounts.ts';
import { parseQuantity, wholeValue } from '../../../api/quantity.ts';
import type { PodUsage } from './autoscaler-metrics.ts';
import { isReady, type StoredPod } from '../pod-state.ts';
import { isDeleting } from '../stored-object.ts';

/** How far off the target usage may be before anything is done. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

export interface Proposal {
  readonly replicas: number;
  /** Average over pods, in thousandths. */
  readonly usage: number;
  /** In percent of what pods request, when asked for. */
  readonly utilization?: number;
}

interface Basis {
  readonly pods: readonly StoredPod[];
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly now: Date;
}

/** While a pod is younger, its processor usage says more about its start than about its load. */
const startUpMs = 5 * 60_000;
/** A pod that was never ready within this time after its start is taken as still starting. */
const firstReadinessMs = 30_000;

interface Groups {
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
}

function groupPods(pods: readonly StoredPod[], usage: PodUsage, resource: string, now: Date): Groups {
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  let ready = 0;
  for (const pod of pods) {
    const { name } = pod.metadata;
    if (isDeleting(pod) || pod.status?.phase === 'Failed') ignored.push(name);
    else if (pod.status?.phase === 'Pending') unready.push(name);
    else if (!usage.has(name)) missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, now)) unready.push(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

function isStarting({ status }: StoredPod, now: Date): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  if (!condition || !status?.startTime) return true;
  if (condition.status !== 'False') return false;
  const startedAt = Date.parse(status.startTime);
  return startedAt + startUpMs > now.getTime() || startedAt + firstReadinessMs > Date.parse(condition.lastTransitionTime ?? '');
}

const isWithin = ({ down, up }: Tolerances, ratio: number) => 1 - down <= ratio && ratio <= 1 + up;

/** Replicas for an average usage per pod, in thousandths. `resource` is empty for metrics that are not about one. */
export function replicasForUsage(basis: Basis, usage: PodUsage, target: number, resource: string): Proposal {
  const ratioOf = (known: PodUsage) => {
    const average = Math.trunc(totalOf(known.values()) / known.size);
    return { ratio: average / target, average };
  };
  return propose(basis, usage, resource, {
    measure: known => {
      const { ratio, average } = ratioOf(known);
      return { ratio, proposal: { usage: average } };
    },
    assumed: () => target,
  });
}

/** Replicas for a usage in percent of what pods request. */
export function replicasForUtilization(basis: Basis, usage: PodUsage, target: number, resource: string, container: string): Proposal {
  let requests: PodUsage | undefined;
  return propose(basis, usage, resource, {
    measure: known => {
      requests ??= requestsOf(basis.pods, resource, container);
      const counted = [...known].filter(([name]) => requests?.has(name));
      const used = totalOf(counted.map(([, value]) => value));
      const requested = totalOf(counted.map(([name]) => requests?.get(name) ?? 0));
      if (requested === 0) throw new Error('no metrics returned matched known pods');
      const utilization = Math.trunc((used * 100) / requested);
      return { ratio: utilization / target, proposal: { usage: Math.trunc(used / counted.length), utilization } };
    },
    assumed: name => Math.trunc(((requests?.get(name) ?? 0) * Math.max(100, target)) / 100),
  });
}

interface Measure {
  measure(usage: PodUsage): { ratio: number; proposal: Omit<Proposal, 'replicas'> };
  /** What a pod without metrics is taken to use when there seem to be too many pods. */
  assumed(pod: string): number;
}

/** Pods that say nothing are taken for the side that changes least: idle when more are wanted, busy when fewer are. */
function propose(
  { pods, currentReplicas, tolerances, now }: Basis,
  given: PodUsage,
  resource: string,
  { measure, assumed }: Measure,
): Proposal {
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const { ready, unready, missing, ignored } = groupPods(pods, given, resource, now);
  const usage = new Map(given);
  for (const name of [...ignored, ...unready]) usage.delete(name);
  if (usage.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');

  const { ratio, proposal } = measure(usage);
  const stay = { ...proposal, replicas: currentReplicas };
  const countsUnready = unready.length > 0 && ratio > 1;
  if (!countsUnready && missing.length === 0)
    return isWithin(tolerances, ratio) ? stay : { ...proposal, replicas: Math.ceil(ratio * ready) };

  if (ratio < 1) for (const name of missing) usage.set(name, assumed(name));
  if (ratio > 1) for (const name of missing) usage.set(name, 0);
  if (countsUnready) for (const name of unready) usage.set(name, 0);
  const { ratio: cautious } = measure(usage);
  const turned = (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1);
  if (isWithin(tolerances, cautious) || turned) return stay;
  const replicas = Math.ceil(cautious * usage.size);
  const isBackwards = (cautious < 1 && replicas > currentReplicas) || (cautious > 1 && replicas < currentReplicas);
  return isBackwards ? stay : { ...proposal, replicas };
}

const totalOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);

/** Replicas for one value that stands for all pods together. */
export function replicasForTotal({ pods, currentReplicas, tolerances }: Basis, usage: number, target: number): Proposal {
  const ratio = usage / target;
  if (currentReplicas === 0) return { replicas: Math.ceil(ratio), usage };
  if (isWithin(tolerances, ratio)) return { replicas: currentReplicas, usage };
  if (pods.length === 0) throw new Error('unable to calculate ready pods: no pods returned by selector while calculating replica count');
  const ready = pods.filter(pod => pod.status?.phase === 'Running' && isReady(pod)).length;
  return { replicas: Math.ceil(ratio * ready), usage };
}

/** Replicas for one value that is to be shared by all pods. */
export function replicasForShare(statusReplicas: number, tolerances: Tolerances, usage: number, target: number): Proposal {
  const isRight = isWithin(tolerances, usage / (target * statusReplicas));
  return { replicas: isRight ? statusReplicas : Math.ceil(usage / target), usage: Math.ceil(usage / statusReplicas) };
}

function requestsOf(pods: readonly StoredPod[], resource: string, container: string): PodUsage {
  return new Map(pods.map(pod => [pod.metadata.name, requestOf(pod, resource, container)]));
}

function requestOf({ metadata, spec }: StoredPod, resource: string, container: string): number {
  const { containers, initContainers = [] } = spec;
  if (spec.resources?.requests && container === '') {
    const request = podAmounts(spec, 'requests', { withOverhead: false }).get(resource);
    if (!request) throw new Error(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
    return Number(wholeValue(request, -3));
  }
  const running = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  const of = ({ name, resources }: Container) => {
    const request = resources?.requests?.[resource];
    if (request === undefined) throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    return Number(wholeValue(parseQuantity(String(request)), -3));
  };
  if (container === '') return totalOf(running.map(of));
  const named = running.find(({ name }) => name === container);
  if (!named) throw new Error(`container ${container} not found in Pod ${metadata.name}`);
  return of(named);
}
