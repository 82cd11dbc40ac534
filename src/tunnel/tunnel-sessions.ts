import type { WebSocket } from 'ws';
import { UnreachableError, type Transport } from '../client/transport.ts';
import { closeCodes } from './protocol.ts';
import { TunnelSession, type SessionTimes } from './tunnel-session.ts';
import { tunnelLimits } from './tunnel-limits.ts';
import { TwinWatch } from './twin-watch.ts';

/** An agent whose identity has been verified, and what it says of itself. */
export interface ConnectedAgent {
  readonly clusterId: string;
  readonly version: string;
  /** Tells one process from another of the same identity. */
  readonly instance: string;
  /** Whether the hub has proved itself to it by its published authorities alone. */
  readonly isStrict: boolean;
  /** How far the agent's clock is ahead of ours. Undefined when it did not say. */
  readonly clockOffsetMs: number | undefined;
}

/** What is known of the tunnel of one cluster. */
export interface TunnelState {
  readonly isConnected: boolean;
  /** When it became so. */
  readonly since: Date;
  /** Why, in words, when it is not connected. */
  readonly reason: string | undefined;
  readonly agent: ConnectedAgent;
  /** Grows with every session of the cluster, also over restarts of the hub. */
  readonly epoch: number;
  /** Two agents with the same identity take the tunnel from each other. */
  readonly hasDuplicate: boolean;
}

export interface TunnelSessionsOptions {
  readonly times?: SessionTimes;
  /** How long a request waits for an agent that is expected back. Default 3 s. */
  readonly waitMs?: number;
  readonly now?: () => number;
}

interface Entry {
  state: Omit<TunnelState, 'hasDuplicate'>;
  session: TunnelSession | undefined;
  readonly twins: TwinWatch;
}

/** An agent that was there so recently, or a hub that is so young, makes waiting worth while. */
const expectBackMs = 60_000;

/** The tunnels of all agents: at most one for each cluster, the newest. */
export class TunnelSessions implements AsyncDisposable {
  readonly #entries = new Map<string, Entry>();
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<(clusterId: string) => void>();
  readonly #times: SessionTimes;
  readonly #waitMs: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  #isClosed = false;

  constructor({ times = tunnelLimits, waitMs = 3000, now = Date.now }: TunnelSessionsOptions = {}) {
    this.#times = times;
    this.#waitMs = waitMs;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Takes the connection of an agent over. Resolves when its tunnel serves, rejects with UnreachableError when it never does. */
  async accept(webSocket: WebSocket, agent: ConnectedAgent): Promise<void> {
    const session = await TunnelSession.open(webSocket, this.#times);
    if (this.#isClosed) {
      session.close(closeCodes.goingAway, 'the hub stops');
      return;
    }
    const entry = this.#replace(agent, session);
    this.#tell(agent.clusterId);
    for (const wake of this.#waiters.get(agent.clusterId) ?? []) wake();
    void session.closed.then(reason => this.#lose(entry, reason));
  }

  /** The way to the API server of a cluster, whichever agent carries it at the time of a request. */
  transport(clusterId: string): Transport {
    return {
      request: async req => (this.#open(clusterId) ?? (await this.#wait(clusterId, req.signal))).request(req),
      upgrade: async req => (this.#open(clusterId) ?? (await this.#wait(clusterId, req.signal))).upgrade(req),
      async [Symbol.asyncDispose]() {},
    };
  }

  /** How many agents are connected. */
  get openCount(): number {
    let count = 0;
    for (const { session } of this.#entries.values()) if (session?.isOpen) count++;
    return count;
  }

  /** Undefined when no agent of the cluster has connected since the hub started. */
  state(clusterId: string): TunnelState | undefined {
    const entry = this.#entries.get(clusterId);
    return entry && { ...entry.state, hasDuplicate: entry.twins.hasTwin(this.#now()) };
  }

  /** Whether another agent of the same cluster has the tunnel. One that asks again and again is a twin of it. */
  isServedByOther({ clusterId, instance }: ConnectedAgent): boolean {
    const entry = this.#entries.get(clusterId);
    if (!entry?.session?.isOpen || entry.state.agent.instance === instance) return false;
    const now = this.#now();
    const hadTwin = entry.twins.hasTwin(now);
    entry.twins.asked(instance, now);
    if (!hadTwin && entry.twins.hasTwin(now)) this.#tell(clusterId);
    return true;
  }

  /** Hears of every cluster whose state has changed. */
  subscribe(listener: (clusterId: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Ends the tunnel of a cluster, if there is one: it was removed, or its identity is not accepted any more. */
  end(clusterId: string, why: 'removed' | 'identityRefused', reason: string): void {
    this.#entries.get(clusterId)?.session?.close(closeCodes[why], reason);
    if (why === 'removed') this.#entries.delete(clusterId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { session } of this.#entries.values()) session?.close(closeCodes.goingAway, 'the hub stops');
  }

  #replace(agent: ConnectedAgent, session: TunnelSession): Entry {
    const now = this.#now();
    const present = this.#entries.get(agent.clusterId);
    const twins = present?.twins ?? new TwinWatch();
    const replaced = present?.session && present.state.agent.instance;
    twins.connected(agent.instance, replaced, now);
    const state = {
      isConnected: true,
      since: new Date(now),
      reason: undefined,
      agent,
      epoch: Math.max((present?.state.epoch ?? 0) + 1, now),
    };
    const entry: Entry = { state, session, twins };
    this.#entries.set(agent.clusterId, entry);
    present?.session?.close(closeCodes.replaced, 'another agent of the same cluster has connected');
    return entry;
  }

  #lose(entry: Entry, reason: string): void {
    if (this.#entries.get(entry.state.agent.clusterId) !== entry) return;
    entry.session = undefined;
    entry.state = { ...entry.state, isConnected: false, since: new Date(this.#now()), reason };
    this.#tell(entry.state.agent.clusterId);
  }

  #open(clusterId: string): TunnelSession | undefined {
    const session = this.#entries.get(clusterId)?.session;
    return session?.isOpen ? session : undefined;
  }

  async #wait(clusterId: string, signal: AbortSignal | undefined): Promise<TunnelSession> {
    signal?.throwIfAborted();
    if (this.#isExpected(clusterId)) await this.#connected(clusterId, signal);
    const session = this.#open(clusterId);
    if (session) return session;
    const reason = this.#entries.get(clusterId)?.state.reason;
    throw new UnreachableError(reason === undefined ? 'its agent is not connected' : `its agent is not connected: ${reason}`);
  }

  #isExpected(clusterId: string): boolean {
    if (this.#isClosed) return false;
    const lostAt = this.#entries.get(clusterId)?.state.since.getTime() ?? this.#startedAt;
    return this.#now() - lostAt < expectBackMs;
  }

  /** Resolves when an agent has connected, or when it has been waited for long enough. */
  #connected(clusterId: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiters = this.#waiters.getOrInsertComputed(clusterId, () => new Set());
    const timer = setTimeout(resolve, this.#waitMs);
    const abort = () => reject(signal?.reason);
    waiters.add(resolve);
    signal?.addEventListener('abort', abort, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      waiters.delete(resolve);
      if (waiters.size === 0 && this.#waiters.get(clusterId) === waiters) this.#waiters.delete(clusterId);
    });
  }

  #tell(clusterId: string): void {
    for (const listener of this.#listeners) listener(clusterId);
  }
}
