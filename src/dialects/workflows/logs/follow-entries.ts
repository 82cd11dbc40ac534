import { matches, readEntries } from './read-entries.ts';
import { streamKey } from './log-file-names.ts';
import type { LogEntry, LogQuery } from './run-logs.ts';

export interface FollowOptions {
  readonly query: LogQuery;
  readonly signal: AbortSignal;
  listen(hear: (entries: readonly LogEntry[]) => void): Disposable;
}

/** Whoever does not read so many lines is left: he finds them in the files when he comes again. */
const mostHeard = 50_000;

/** What is in the files, then what comes. What came while the files were read is given once. */
export async function* followEntries(folder: string, { query, signal, listen }: FollowOptions): AsyncGenerator<LogEntry> {
  const heard: LogEntry[] = [];
  let wake = () => {};
  let isTooSlow = false;
  using _ = listen(entries => {
    if (heard.length > mostHeard) isTooSlow = true;
    else for (const entry of entries) heard.push(entry);
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const given = new Map<string, number>();
    for await (const entry of readEntries(folder, query)) {
      given.set(placeKey(entry), entry.seq);
      yield entry;
    }
    for (;;) {
      for (const entry of heard.splice(0)) {
        if (entry.seq <= (given.get(placeKey(entry)) ?? -1) || !matches(entry, query)) continue;
        given.set(placeKey(entry), entry.seq);
        yield entry;
      }
      if (isTooSlow) throw new Error('what is said is not read');
      if (heard.length > 0) continue;
      if (signal.aborted) return;
      await new Promise<void>(resolve => (wake = resolve));
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const placeKey = (entry: LogEntry): string => `${entry.cluster ?? ''} ${streamKey(entry)}`;
