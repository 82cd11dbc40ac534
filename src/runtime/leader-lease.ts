import { setTimeout as sleep } from 'node:timers/promises';
import { Lease } from '../api/builtin-kinds.ts';
import { StatusError } from '../api/status.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { log } from './log.ts';
import { hasEnded } from './process-mark.ts';

/** Who leads, and where others reach it. */
export interface Leader {
  readonly identity: string;
  readonly address: string;
}

/** That this process leads. */
export interface LeaderLease {
  /** False from the moment on when it cannot be sure any more, which is before another may lead; true again when nobody has taken its place. */
  readonly isHeld: boolean;
  /** Resolves when another leads. */
  readonly lost: Promise<Error>;
  /** Lets another lead at once. */
  release(): Promise<void>;
}

export interface LeaseTimes {
  /** A leader that was silent for so long is followed by another. */
  readonly durationMs: number;
  /** How long after a renewal the leader acts. What lies between it and the duration is for what is under way then. */
  readonly actMs: number;
  readonly renewEveryMs: number;
}

/** By two clocks: one that nobody sets, and one that goes on while the machine sleeps. */
export interface Instant {
  readonly steadyMs: number;
  readonly wallMs: number;
}

export interface LeaseOptions {
  readonly hub: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Of this process alone. */
  readonly identity: string;
  readonly address: string;
  /** By which others on this machine see that it has ended: see process-mark.ts. */
  readonly mark?: string | undefined;
  readonly signal: AbortSignal;
  /** Hears who leads while this process waits. */
  onStandBy?(leader: Leader): void;
  /** Default: those of Kubernetes' own controllers. */
  readonly times?: LeaseTimes;
  readonly now?: () => Instant;
}

const annotations = { address: 'drover.io/address', process: 'drover.io/process' } as const;
const usualTimes: LeaseTimes = { durationMs: 15_000, actMs: 10_000, renewEveryMs: 2_000 };
const callMs = 5_000;

/** Waits until this process leads. Whether another still does is judged by how long its lease has not changed here, so that clocks need not agree. */
export async function acquireLease(options: LeaseOptions): Promise<LeaderLease> {
  const { hub, namespace, name, signal, onStandBy, times = usualTimes, now = thisInstant } = options;
  const call = { signal, timeoutMs: callMs };
  let seen: { readonly version: string; readonly atMs: number } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const startedAt = now();
    try {
      const present = await hub.get(Lease, { namespace, name }, call);
      const version = present?.metadata.resourceVersion ?? '';
      if (present && seen?.version !== version) seen = { version, atMs: startedAt.steadyMs };
      const isOver = startedAt.steadyMs - (seen?.atMs ?? 0) >= (present?.spec?.leaseDurationSeconds ?? 0) * 1000;
      if (!present || isFree(present) || isOver) return hold(options, await write(options, present), startedAt);
      onStandBy?.({ identity: present.spec?.holderIdentity ?? '', address: present.metadata.annotations?.[annotations.address] ?? '' });
    } catch (error) {
      signal.throwIfAborted();
      if (!isContest(error)) log.warn('cannot ask who leads', { err: error });
    }
    await sleep(times.renewEveryMs, undefined, { signal }).catch(() => {});
  }
}

const isFree = ({ metadata, spec }: Lease): boolean =>
  (spec?.holderIdentity ?? '') === '' || hasEnded(metadata.annotations?.[annotations.process]);

const isContest = (error: unknown): boolean => error instanceof StatusError && error.code === 409;

/** Only what was read is replaced: of two who write, one is refused. */
async function write(
  { hub, namespace, name, identity, address, mark, signal, times = usualTimes }: LeaseOptions,
  present: Lease | undefined,
): Promise<Lease> {
  const call = { signal, timeoutMs: callMs, fieldManager: 'drover-leader' };
  const time = new Date().toISOString().replace('Z', '000Z');
  const isOurs = present?.spec?.holderIdentity === identity;
  const lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...present?.metadata,
      namespace,
      name,
      annotations: { ...present?.metadata.annotations, [annotations.address]: address, [annotations.process]: mark ?? '' },
    },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(times.durationMs / 1000),
      acquireTime: isOurs ? (present.spec?.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (present?.spec?.leaseTransitions ?? 0) + (isOurs || !present ? 0 : 1),
    },
  };
  return present ? hub.update(Lease, lease, call) : hub.create(Lease, lease, call);
}

function hold(options: LeaseOptions, acquired: Lease, acquiredAt: Instant): LeaderLease {
  const { hub, namespace, name, identity, signal, times = usualTimes, now = thisInstant } = options;
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  const released = new AbortController();
  let current = acquired;
  let renewedAt = acquiredAt;
  let isLost = false;
  void keep();

  return {
    get isHeld() {
      return !isLost && !released.signal.aborted && longest(renewedAt, now()) < times.actMs;
    },
    lost,
    async release() {
      if (isLost || released.signal.aborted) return;
      released.abort();
      const spec = { ...current.spec, holderIdentity: '' };
      await hub.update(Lease, { ...current, spec }, { timeoutMs: callMs, fieldManager: 'drover-leader' }).catch(() => {});
    },
  };

  async function keep(): Promise<void> {
    const ended = AbortSignal.any([signal, released.signal]);
    while (!ended.aborted && !isLost) {
      await sleep(times.renewEveryMs, undefined, { signal: ended }).catch(() => {});
      if (!ended.aborted) await renew();
    }
  }

  async function renew(): Promise<void> {
    const startedAt = now();
    try {
      current = await write({ ...options, signal: AbortSignal.any([signal, released.signal]) }, current);
      renewedAt = startedAt;
    } catch (error) {
      if (signal.aborted || released.signal.aborted) return;
      if (isContest(error)) await lookWhoLeads().catch(() => {});
      else log.warn('the lease was not renewed', { err: error });
    }
  }

  /** Somebody else has written it, or our own write arrived though its answer did not. */
  async function lookWhoLeads(): Promise<void> {
    const present = await hub.get(Lease, { namespace, name }, { signal, timeoutMs: callMs });
    if (present && present.spec?.holderIdentity !== identity) {
      isLost = true;
      lose(new Error(`"${present.spec?.holderIdentity}" leads now`));
    } else if (present) current = present;
  }
}

const thisInstant = (): Instant => ({ steadyMs: performance.now(), wallMs: Date.now() });

/** Who leads believes the clock by which more time has passed. */
const longest = (from: Instant, to: Instant): number => Math.max(to.steadyMs - from.steadyMs, to.wallMs - from.wallMs);
