import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../../api/cluster.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

const pollMs = 200;

/** Waits until a cluster has been removed; one made anew under its name does not count. */
export async function waitUntilGone(
  hub: KubeClient,
  { name, uid }: { name: string; uid: string },
  timeoutMs: number,
  { signal }: Terminal,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (; ; await sleep(pollMs, undefined, { signal })) {
    const cluster = await hub.get(Cluster, { name }, { signal });
    if (cluster?.metadata.uid !== uid) return;
    if (performance.now() > deadline)
      throw new CommandError(`cluster "${name}" was not gone in time`, {
        exitCode: exitCodes.timedOut,
        hint: `"drover get cluster ${name} -o yaml" shows what it waits for`,
      });
  }
}
