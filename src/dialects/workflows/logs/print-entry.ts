import type { LogEntry } from './run-logs.ts';

const levelWidth = 7;

/** A line as people know it: `INFO   2022-02-16 12:46:39    Fetched clusters list: [a, b]`. */
export function printEntry({ level, ts, msg }: Pick<LogEntry, 'level' | 'ts' | 'msg'>): string {
  return `${level.padEnd(levelWidth)}${ts.slice(0, 19).replace('T', ' ')}    ${msg}`;
}
