import { readFileSync, readlinkSync } from 'node:fs';

/** Where on Linux the start of a process is in /proc/PID/stat, counted behind its name. */
const startField = 19;

/**
 * Names this process so that others on the same machine can tell whether it is still there: the boot, the namespace of process ids, the id and when it
 * started. Undefined where there is no /proc.
 */
export function processMark(): string | undefined {
  const place = placeOf();
  const start = startOf(process.pid);
  return place === undefined || start === undefined ? undefined : `${place} ${process.pid} ${start}`;
}

/** Whether the process of a mark has certainly ended. One of elsewhere may still be there for all that is known here. */
export function hasEnded(mark: string | undefined): boolean {
  const [place, pid, start] = /^(\S+ \S+) ([0-9]+) ([0-9]+)$/.exec(mark ?? '')?.slice(1) ?? [];
  if (place === undefined || place !== placeOf()) return false;
  return startOf(Number(pid)) !== start;
}

function placeOf(): string | undefined {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[startField];
  } catch {
    return undefined;
  }
}
