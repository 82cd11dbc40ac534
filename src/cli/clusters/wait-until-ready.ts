import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

const pollMs = 500;

/** Waits until the hub calls a cluster ready, and tells on the way what it waits for. */
export async function waitUntilReady(hub: KubeClient, name: string, timeoutMs: number, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const deadline = performance.now() + timeoutMs;
  for (let last = ''; ; await sleep(pollMs, undefined, { signal })) {
    const cluster = await hub.get(Cluster, { name }, { signal });
    if (!cluster) throw new CommandError(`cluster "${name}" was removed while it was waited for`);
    const ready = findCondition(cluster, clusterConditions.ready);
    if (ready?.status === 'True') return void terminal.err(`cluster "${name}" is ready\n`);
    const message = ready?.message ?? 'The hub has not looked at the cluster yet';
    if (message !== last) terminal.err(`${message}\n`);
    last = message;
    if (performance.now() > deadline)
      throw new CommandError(`cluster "${name}" was not ready in time`, { cause: new Error(last), exitCode: exitCodes.timedOut });
  }
}
