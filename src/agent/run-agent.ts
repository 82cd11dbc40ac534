import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../runtime/log.ts';
import { AgentConnection, type ConnectionOptions } from './agent-connection.ts';
import { nextStep, successMs } from './next-step.ts';

export interface AgentOptions extends ConnectionOptions {
  /** How long an agent that has never registered tries a hub that does not answer. Default 30 s. */
  readonly firstContactMs?: number;
}

/**
 * Keeps the tunnel of a cluster up until the signal, or until the hub says that the cluster was removed: then it resolves with what the hub said.
 * Throws when a person must change something.
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<string | undefined> {
  const { server, firstContactMs = 30_000 } = options;
  const connection = new AgentConnection(options);
  // One that was a member before waits for its hub for as long as it takes.
  const isNew = (await options.identities.load(signal)) === undefined;
  const startedAt = performance.now();
  for (let failures = 1; ; failures++) {
    const ending = await connection.attempt(signal);
    if (signal.aborted) return undefined;
    if ('closed' in ending && ending.livedMs >= successMs) failures = 0;
    const err = 'closed' in ending ? ending.closed.reason : ending.error;
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
}
