import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The kernel counts the time of processes in hundredths of a second. */
const ticksPerSecond = 100;

export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
}

/** What a process has read so far, from sockets and files, in bytes. */
export function readBytes(pid: number): number {
  return Number(/^rchar: ([0-9]+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

/** How much of a core some processes use together while nobody asks them for anything, in percent. */
export async function idleCpuPercent(pids: readonly number[], durationMs: number): Promise<number> {
  const before = cpuSeconds(pids);
  const startedAt = performance.now();
  await sleep(durationMs);
  return ((cpuSeconds(pids) - before) / ((performance.now() - startedAt) / 1000)) * 100;
}

/** The processor time that some processes have used so far. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / ticksPerSecond;
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may hold anything; user and system time are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
