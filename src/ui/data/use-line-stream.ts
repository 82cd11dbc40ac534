import { useEffect, useState } from 'react';
import { readLines } from './line-stream.ts';
import { ApiError } from './request.ts';

export interface LineStream<T> {
  readonly lines: readonly T[];
  /** Whether the first of them may still be on their way. */
  readonly isLoading: boolean;
  /** Whether more may come. */
  readonly isLive: boolean;
  readonly error: ApiError | undefined;
}

const nothingYet = { lines: [], isLoading: true, isLive: true, error: undefined };
const nothingAsked = { ...nothingYet, isLoading: false, isLive: false };
const mostLines = 5000;
const tellMs = 150;

/** What comes at an address, one JSON document on each line, as it comes; or in answer to what is sent there. The oldest go when there are too many. Nothing is asked without an address. */
export function useLineStream<T>(path: string | undefined, body?: string): LineStream<T> {
  const [stream, setStream] = useState<LineStream<T>>(nothingYet);
  useEffect(() => {
    if (path === undefined) return setStream(nothingAsked);
    const stop = new AbortController();
    let lines: T[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = (more: Partial<LineStream<T>> = {}) => setStream(before => ({ ...before, lines: [...lines], ...more }));
    setStream(nothingYet);
    const take = (line: string) => {
      lines.push(JSON.parse(line) as T);
      if (lines.length > mostLines) lines = lines.slice(-mostLines);
      tellSoon();
    };
    const tellSoon = () =>
      (timer ??= setTimeout(() => {
        timer = undefined;
        tell({ isLoading: false });
      }, tellMs));
    const end = { isLive: false, isLoading: false };
    readLines({ path, body }, stop.signal, take, tellSoon).then(
      () => stop.signal.aborted || tell(end),
      (error: unknown) =>
        stop.signal.aborted || tell({ ...end, error: error instanceof ApiError ? error : new ApiError(0, String(error)) }),
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path, body]);
  return stream;
}
