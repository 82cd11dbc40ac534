import { useEffect, useState } from 'react';
import { ApiError, errorOf } from '../../data/request.ts';

export interface LogLine {
  readonly ts: string;
  readonly level: string;
  readonly cluster: string | null;
  readonly step: string;
  readonly unit: string;
  readonly seq: number;
  readonly msg: string;
}

interface RunLog {
  readonly lines: readonly LogLine[];
  readonly isLive: boolean;
  readonly error: ApiError | undefined;
}

const mostLines = 5000;
const tellMs = 150;

/** What a run says, as it says it. */
export function useRunLog(namespace: string, name: string, cluster: string): RunLog {
  const [log, setLog] = useState<RunLog>({ lines: [], isLive: true, error: undefined });
  useEffect(() => {
    const stop = new AbortController();
    let lines: LogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = (more: Partial<RunLog> = {}) => setLog(before => ({ ...before, lines: [...lines], ...more }));
    setLog({ lines: [], isLive: true, error: undefined });
    const take = (line: string) => {
      if (line === '') return;
      lines.push(JSON.parse(line) as LogLine);
      if (lines.length > mostLines) lines = lines.slice(-mostLines);
      timer ??= setTimeout(() => {
        timer = undefined;
        tell();
      }, tellMs);
    };
    read(namespace, name, cluster, stop.signal, take).then(
      () => stop.signal.aborted || tell({ isLive: false }),
      (error: unknown) =>
        stop.signal.aborted || tell({ isLive: false, error: error instanceof ApiError ? error : new ApiError(0, String(error)) }),
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [namespace, name, cluster]);
  return log;
}

async function read(namespace: string, name: string, cluster: string, signal: AbortSignal, take: (line: string) => void): Promise<void> {
  const query = new URLSearchParams({ follow: 'true', ...(cluster !== '' && { cluster }) });
  const path = `/delivery/v1/namespaces/${encodeURIComponent(namespace)}/workflowruns/${encodeURIComponent(name)}/logs?${query.toString()}`;
  const res = await fetch(path, { headers: { accept: 'application/json' }, credentials: 'same-origin', cache: 'no-store', signal });
  if (!res.ok || !res.body) throw errorOf(res.status, await res.text());
  const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const found = (rest + value).split('\n');
    rest = found.pop()!;
    for (const line of found) take(line);
  }
  take(rest);
}
