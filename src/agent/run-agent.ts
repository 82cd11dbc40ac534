import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../runtime/log.ts';
import { closeCodes } from '../tunnel/protocol.ts';
import { AgentConnection, type ConnectionOptions } from './agent-connection.ts';
import { AgentDelivery, type AgentDeliveryOptions } from './agent-delivery.ts';
import { isFor } from './agent-identity.ts';
import { HubAbsentError, HubRefusedError } from './hub-errors.ts';
import { nextStep, successMs, type Ending } from './next-step.ts';

export interface AgentOptions extends ConnectionOptions {
  /** How long an agent that has never registered tries a hub that does not answer. Default 30 s. */
  readonly firstContactMs?: number;
  /** What it takes to deliver to the cluster. Without it the agent serves the tunnel and nothing else. */
  readonly delivery?: Pick<AgentDeliveryOptions, 'member' | 'blobs'>;
}

/** How long an agent that knows its Works waits for the hub before it goes on with them. */
const patienceMs = 5_000;

/**
 * Keeps the tunnel of a cluster up until the signal, or until the hub says that the cluster was removed: then it resolves with what the hub said.
 * Throws when a person must change something.
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<string | undefined> {
  const { server, firstContactMs = 30_000 } = options;
  const known = await options.identities.load(signal);
  // One that was a member before waits for its hub for as long as it takes.
  const isNew = known === undefined;
  const { delivery: parts } = options;
  const delivery = parts && new AgentDelivery({ ...parts, server, env: options.env, reach: () => connection.reach });
  const connection: AgentConnection = new AgentConnection({ ...options, onChange });
  const goOnAlone = () => {
    const identity = connection.reach?.identity ?? known;
    if (identity && isFor(identity, { server, token: options.token })) delivery?.start(identity.clusterId);
  };
  // A hub that hangs must not keep the member waiting for what it was told before.
  const patience = setTimeout(goOnAlone, patienceMs).unref();
  using _stopped = {
    [Symbol.dispose]() {
      clearTimeout(patience);
      delivery?.stop();
    },
  };
  const startedAt = performance.now();
  for (let failures = 1; ; failures++) {
    const ending = await connection.attempt(signal);
    if (signal.aborted) return undefined;
    if ('closed' in ending && ending.livedMs >= successMs) failures = 0;
    const err = 'closed' in ending ? ending.closed.reason : ending.error;
    clearTimeout(patience);
    // The other one delivers now.
    if (isTaken(ending)) delivery?.stop();
    else if (isAbsent(ending)) goOnAlone();
    const step = nextStep(ending, { failures, random: Math.random(), ...connection.situation });
    if (step.type === 'stop') return step.message;
    if (step.type === 'fail') throw new Error(`the agent cannot work with the hub at "${server}"`, { cause: step.error });
    if (isNew && !connection.hasMetHub && performance.now() - startedAt > firstContactMs)
      throw new Error(`cannot reach the hub at "${server}"`, { cause: err });
    log.warn('not connected', { peer: server, err, durationMs: step.delayMs });
    connection.forget(step.forget);
    await sleep(step.delayMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return undefined;
  }

  function onChange(isConnected: boolean): void {
    const clusterId = connection.reach?.identity.clusterId;
    clearTimeout(patience);
    if (isConnected && clusterId !== undefined) delivery?.start(clusterId);
    options.onChange?.(isConnected);
  }
}

const isTaken = (ending: Ending): boolean =>
  'closed' in ending ? ending.closed.code === closeCodes.replaced : ending.error instanceof HubRefusedError && ending.error.status === 409;

/** The hub is not there at all: what it last said holds. */
const isAbsent = (ending: Ending): boolean => 'error' in ending && ending.error instanceof HubAbsentError;
