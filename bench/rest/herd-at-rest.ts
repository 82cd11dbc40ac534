import { fork } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../test/helpers/eventually.ts';
import { startHub, type Hub } from '../../test/helpers/hub.ts';
import { addTunnelCluster, authorityChecksum, clustersPath } from '../../test/helpers/imported-member.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { idleCpuPercent, readBytes, residentBytes } from '../process-use.ts';
import type { ManyAgentsReport, ManyAgentsTask } from '../tunnel/many-agents.ts';

export interface RestOptions {
  readonly members: number;
  /** Of each member. */
  readonly pods: number;
  /** How long it rests before it is measured, and then is measured. */
  readonly settleMs: number;
  log(text: string): void;
}

export interface RestUse {
  readonly cpuPercent: number;
  readonly readPerSecond: number;
  readonly residentBytes: number;
}

const startEveryMs = 25;

/** A whole hub, and in one other process as many whole agents before members that are there only to be looked at. */
export async function measureRest({ members, pods, settleMs, log }: RestOptions): Promise<RestUse> {
  using scratch = tempDir('bench-rest');
  await using hub = await startHub({ dataDir: `${scratch.dir}/data` });
  const { pid } = hub.program;
  const indexes = Array.from({ length: members }, (_, i) => i);
  const tokens = await mapBounded(indexes, 16, async i => (await addTunnelCluster(hub, `member-${i}`)).token);
  log(`hub ${pid}: ${members} clusters wait for their agents`);

  const child = fork(fileURLToPath(new URL('../tunnel/many-agents.ts', import.meta.url)), {
    stdio: ['ignore', 'ignore', openSync(`${scratch.dir}/agents.log`, 'a'), 'ipc'],
  });
  try {
    let connected = 0;
    child.on('message', (report: ManyAgentsReport) => (connected = report.connected));
    child.send({ server: hub.server, caChecksum: authorityChecksum(hub), tokens, pods, startEveryMs } satisfies ManyAgentsTask);
    await eventually(() => connected === members, Boolean, { timeoutMs: 600_000, everyMs: 100, what: 'the agents' });
    log('all are connected');
    await eventually(() => areCounted(hub, members, pods), Boolean, { timeoutMs: 300_000, everyMs: 2000, what: 'the pods of the last' });
    log(`the pods of all are known; looking for ${settleMs / 1000} s after ${settleMs / 1000} s`);
    await sleep(settleMs);
    const readBefore = readBytes(pid);
    const startedAt = performance.now();
    const cpuPercent = await idleCpuPercent([pid], settleMs);
    const readPerSecond = (readBytes(pid) - readBefore) / ((performance.now() - startedAt) / 1000);
    const use = { cpuPercent, readPerSecond, residentBytes: residentBytes(pid) };
    log(`${cpuPercent.toFixed(1)} % of a core, ${(readPerSecond / 1000).toFixed(0)} kB/s, ${(use.residentBytes / 2 ** 20).toFixed(0)} MiB`);
    return use;
  } finally {
    child.kill();
  }
}

async function areCounted(hub: Pick<Hub, 'request'>, members: number, pods: number): Promise<boolean> {
  const last = await hub.request('GET', `${clustersPath}/member-${members - 1}`);
  return last.json<{ status?: { requested?: { pods?: string } } }>().status?.requested?.pods === String(pods);
}
