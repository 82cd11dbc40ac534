import { fork } from 'node:child_process';
import { openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../test/helpers/eventually.ts';
import type { HttpTarget } from '../../test/helpers/http-target.ts';
import { startHub } from '../../test/helpers/hub.ts';
import { addTunnelCluster, authorityChecksum } from '../../test/helpers/imported-member.ts';
import { Program } from '../../test/helpers/program.ts';
import { repositoryRoot } from '../../test/helpers/rig.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { idleCpuPercent, residentBytes } from '../process-use.ts';
import type { ManyAgentsReport, ManyAgentsTask } from './many-agents.ts';

export interface HerdFigures {
  readonly bytesPerAgent: number;
  readonly cpuPercent: number;
  /** From the start of the new hub process until all are back. */
  readonly reconnectSeconds: number;
  /** Calls of somebody else, between the hub's first answer and the return of the last agent. */
  readonly bystander: { readonly calls: number; readonly failed: number; readonly p99Ms: number };
}

export interface HerdOptions {
  readonly agents: number;
  readonly settleMs: number;
  log(text: string): void;
}

/** A whole hub, with as many whole agents in one other process; the hub is killed and started again. */
export async function herd({ agents, settleMs, log }: HerdOptions): Promise<HerdFigures> {
  using scratch = tempDir('bench-tunnel');
  const dataDir = `${scratch.dir}/data`;
  const hub = await startHub({ dataDir });
  let restarted: Program | undefined;
  const port = Number(new URL(hub.server).port);
  const tokens = await inBatches(agents, i => addTunnelCluster(hub, `member-${i}`).then(({ token }) => token));
  log(`${agents} clusters wait for their agents`);
  await sleep(settleMs);
  const before = residentBytes(hub.program.pid);

  const child = fork(fileURLToPath(new URL('many-agents.ts', import.meta.url)), {
    stdio: ['ignore', 'ignore', openSync(`${scratch.dir}/agents.log`, 'a'), 'ipc'],
  });
  try {
    let connected = 0;
    child.on('message', (report: ManyAgentsReport) => (connected = report.connected));
    const allThere = (what: string) => eventually(() => connected === agents, Boolean, { timeoutMs: 600_000, everyMs: 20, what });
    let startedAt = performance.now();
    child.send({ server: hub.server, caChecksum: authorityChecksum(hub), tokens } satisfies ManyAgentsTask);
    await allThere('the agents');
    log(`all registered and connected after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    await sleep(settleMs);
    const cpuPercent = await idleCpuPercent([hub.program.pid], settleMs);
    const bytesPerAgent = (residentBytes(hub.program.pid) - before) / agents;
    log(`${(bytesPerAgent / 1024).toFixed(0)} KiB for each, ${cpuPercent.toFixed(1)} % of a core`);

    hub.program.kill('SIGKILL');
    await hub.program.exited;
    await eventually(() => connected === 0, Boolean, { timeoutMs: 60_000, what: 'loss of all agents' });
    startedAt = performance.now();
    restarted = restartHub(dataDir, port, scratch.dir);
    const calls = new AbortController();
    const bystander = callUntil(hub.target, calls.signal);
    await allThere('the agents after the restart');
    const reconnectSeconds = (performance.now() - startedAt) / 1000;
    log(`all back after ${reconnectSeconds.toFixed(1)} s`);
    calls.abort();
    return { bytesPerAgent, cpuPercent, reconnectSeconds, bystander: await bystander };
  } finally {
    child.kill();
    await restarted?.stop();
    await hub[Symbol.asyncDispose]();
  }
}

/** Nobody waits for it here: the agents and the bystander find out by themselves when it answers. */
function restartHub(dataDir: string, port: number, dir: string): Program {
  return new Program({
    name: 'drover',
    command: process.execPath,
    args: [path.join(repositoryRoot, 'bin/drover.js'), 'up', '--data', dataDir, '--listen', `127.0.0.1:${port}`],
    logFile: path.join(dir, 'restarted.log'),
    cwd: repositoryRoot,
  });
}

/** Calls the hub from its first answer on until the signal. */
async function callUntil(hub: HttpTarget, signal: AbortSignal): Promise<HerdFigures['bystander']> {
  const times: number[] = [];
  let failed = 0;
  let hasAnswered = false;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const isGood = await hub.request('GET', '/api/v1/namespaces/default').then(
      answer => answer.code === 200,
      () => false,
    );
    hasAnswered ||= isGood;
    if (hasAnswered) times.push(performance.now() - startedAt);
    if (hasAnswered && !isGood) failed++;
    await sleep(20);
  }
  times.sort((a, b) => a - b);
  return { calls: times.length, failed, p99Ms: times[Math.floor(times.length * 0.99)] ?? NaN };
}

async function inBatches<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let from = 0; from < count; from += 16) {
    made.push(...(await Promise.all(Array.from({ length: Math.min(16, count - from) }, (_, i) => make(from + i)))));
  }
  return made;
}
