import { words, type Tone } from '../../../parts/judge-object.ts';

/* The fields of workloads that people look for first. Members may be of any version, so all of them may be missing. */

export interface ContainerSpec {
  readonly name: string;
  readonly image?: string;
  readonly ports?: readonly { readonly containerPort: number; readonly protocol?: string; readonly name?: string }[];
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
  readonly livenessProbe?: object;
  readonly readinessProbe?: object;
  readonly startupProbe?: object;
}

type Amounts = Readonly<Record<string, string | number>>;

export interface ContainerState {
  readonly running?: { readonly startedAt?: string };
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number; readonly message?: string; readonly finishedAt?: string };
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface PodSpec {
  readonly containers?: readonly ContainerSpec[];
  readonly initContainers?: readonly ContainerSpec[];
  readonly nodeName?: string;
  readonly serviceAccountName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly priorityClassName?: string;
}

export interface PodStatus {
  readonly podIP?: string;
  readonly hostIP?: string;
  readonly qosClass?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}

export interface WorkloadSpec {
  readonly replicas?: number;
  readonly paused?: boolean;
  readonly suspend?: boolean;
  readonly completions?: number;
  readonly parallelism?: number;
  readonly schedule?: string;
  readonly serviceName?: string;
  readonly strategy?: Strategy;
  readonly updateStrategy?: Strategy;
  readonly template?: { readonly spec?: PodSpec };
  readonly jobTemplate?: { readonly spec?: { readonly template?: { readonly spec?: PodSpec } } };
}

interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: Readonly<Record<string, string | number>>;
}

export interface WorkloadStatus {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberReady?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberMisscheduled?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly active?: number | readonly unknown[];
  readonly lastScheduleTime?: string;
}

export interface Fact {
  readonly title: string;
  readonly value: string;
}

/** How far it is, and how it gets there. */
export function workloadFacts(resource: string, spec: WorkloadSpec, status: WorkloadStatus): readonly Fact[] {
  const facts: (Fact | undefined)[] = [
    ...replicaFacts(resource, spec, status),
    fact('Strategy', strategyText(spec.strategy ?? spec.updateStrategy)),
    fact('Service', spec.serviceName),
    fact('Schedule', spec.schedule),
    spec.paused || spec.suspend ? { title: 'Held', value: spec.paused ? 'Its rollout is paused' : 'It is suspended' } : undefined,
  ];
  return facts.filter(one => one !== undefined);
}

const fact = (title: string, value: string | undefined): Fact | undefined =>
  value === undefined || value === '' ? undefined : { title, value };

function replicaFacts(resource: string, spec: WorkloadSpec, status: WorkloadStatus): readonly (Fact | undefined)[] {
  if (resource === 'jobs.batch')
    return [
      { title: 'Completions', value: `${status.succeeded ?? 0} of ${spec.completions ?? 1} done` },
      { title: 'Pods', value: `${Number(status.active ?? 0)} at work, ${status.failed ?? 0} failed` },
      fact('At once', spec.parallelism === undefined ? undefined : String(spec.parallelism)),
    ];
  if (resource === 'cronjobs.batch') return [];
  const isDaemon = resource === 'daemonsets.apps';
  const want = isDaemon ? (status.desiredNumberScheduled ?? 0) : (spec.replicas ?? 1);
  const ready = (isDaemon ? status.numberReady : status.readyReplicas) ?? 0;
  const updated = isDaemon ? status.updatedNumberScheduled : status.updatedReplicas;
  const available = (isDaemon ? status.numberAvailable : status.availableReplicas) ?? 0;
  const parts = [`${ready} of ${want} ready`, `${available} available`];
  if (resource !== 'replicasets.apps') parts.push(`${updated ?? 0} up to date`);
  const misplaced = status.numberMisscheduled ?? 0;
  if (misplaced > 0) parts.push(`${misplaced} on nodes where they should not be`);
  return [{ title: isDaemon ? 'Nodes' : 'Replicas', value: parts.join(', ') }];
}

function strategyText(strategy: Strategy | undefined): string | undefined {
  if (!strategy?.type) return undefined;
  const more = Object.entries(strategy.rollingUpdate ?? {}).map(([name, value]) => `${words(name).toLowerCase()} ${value}`);
  return [words(strategy.type), ...more].join(', ');
}

export const podSpecOf = ({ template, jobTemplate }: WorkloadSpec): PodSpec | undefined =>
  template?.spec ?? jobTemplate?.spec?.template?.spec;

/** `cpu 100m, memory 64Mi to 128Mi`: what is asked for, and how much it may be. */
export function amountsText({ requests = {}, limits = {} }: NonNullable<ContainerSpec['resources']> = {}): string {
  const names = [...new Set([...Object.keys(requests), ...Object.keys(limits)])].toSorted();
  return names
    .map(name => {
      const [least, most] = [requests[name], limits[name]];
      if (least === undefined) return `${name} at most ${most}`;
      return most === undefined || most === least ? `${name} ${least}` : `${name} ${least} to ${most}`;
    })
    .join(', ');
}

export const portsText = ({ ports = [] }: ContainerSpec): string =>
  ports
    .map(
      ({ containerPort, protocol = 'TCP', name }) => `${name ? `${name} ` : ''}${containerPort}${protocol === 'TCP' ? '' : `/${protocol}`}`,
    )
    .join(', ');

export const probesText = ({ livenessProbe, readinessProbe, startupProbe }: ContainerSpec): string =>
  [livenessProbe && 'alive', readinessProbe && 'ready', startupProbe && 'started'].filter(Boolean).join(', ');

export interface JudgedContainer {
  readonly tone: Tone;
  readonly word: string;
  readonly why: string | undefined;
}

/** How a container is; an init container that has ended well has done what it is for. */
export function judgeContainer({ state, ready: isReady = false }: Partial<ContainerStatus>): JudgedContainer {
  if (state?.running) return { tone: isReady ? 'good' : 'warn', word: isReady ? 'Running' : 'Running, not ready', why: undefined };
  if (state?.terminated) return judgeEnd(state.terminated);
  const { reason = 'Waiting', message } = state?.waiting ?? {};
  return { tone: /err|backoff/i.test(reason) ? 'bad' : 'info', word: words(reason), why: message };
}

function judgeEnd({ exitCode = 0, reason = 'Ended', message }: NonNullable<ContainerState['terminated']>): JudgedContainer {
  return { tone: exitCode === 0 ? 'idle' : 'bad', word: `${words(reason)} (${exitCode})`, why: message };
}

/** How the run before this one ended. */
export function lastEnd({ lastState }: Partial<ContainerStatus>): string {
  const end = lastState?.terminated;
  return end ? judgeEnd(end).word : '';
}
