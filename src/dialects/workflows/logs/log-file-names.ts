import { createHash } from 'node:crypto';
import type { LogEntry } from './run-logs.ts';

/** What is counted, and bounded, by itself. */
export type Stream = Pick<LogEntry, 'step' | 'grant' | 'unit'>;

export const streamKey = ({ step, grant, unit }: Stream): string => `${grant} ${unit} ${step}`;

const ownFile = 'run';
const ending = '.jsonl';

/** The file of a cluster, or of the run itself. */
export const fileOfPlace = (cluster: string | undefined): string =>
  cluster === undefined ? `${ownFile}${ending}` : `cluster-${encodeURIComponent(cluster)}${ending}`;

/** Which cluster a file is of: `''` is the run itself. Undefined for other files. */
export function placeOfFile(file: string): string | undefined {
  if (file === fileOfPlace(undefined)) return '';
  const [, cluster] = /^cluster-(.+)\.jsonl$/.exec(file) ?? [];
  return cluster === undefined ? undefined : decodeURIComponent(cluster);
}

/** Where the end of a unit is that says very much. */
export const overflowFile = (file: string, stream: Stream): string =>
  `${file}.${createHash('sha256').update(streamKey(stream)).digest('hex').slice(0, 16)}`;

/** The last line may be torn: then it was never said. */
export function parseEntries(text: string): LogEntry[] {
  const entries: LogEntry[] = [];
  for (const line of text.split('\n')) {
    try {
      if (line !== '') entries.push(JSON.parse(line) as LogEntry);
    } catch {
      continue;
    }
  }
  return entries;
}
