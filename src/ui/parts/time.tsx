import { useEffect, useReducer } from 'react';
import { titled } from './titled.ts';

const units: [seconds: number, name: string][] = [
  [86_400 * 365, 'y'],
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** `5m`, `3d4h`: as kubectl prints ages. */
export function printAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const at = units.findIndex(([size]) => seconds >= size);
  if (at < 0) return '0s';
  const [size, name] = units[at]!;
  const first = Math.floor(seconds / size);
  const finer = units[at + 1];
  const rest = finer && first < 10 && size > 60 ? Math.floor((seconds % size) / finer[0]) : 0;
  return `${first}${name}${rest > 0 ? `${rest}${finer![1]}` : ''}`;
}

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** How long ago; when exactly, in the zone of the browser, for those who point at it. */
export function Time({ at, isAgo = false }: { at: string | number | undefined; isAgo?: boolean }) {
  useTick();
  const ms = typeof at === 'number' ? at : Date.parse(at ?? '');
  if (!Number.isFinite(ms)) return <span className="muted">–</span>;
  const date = new Date(ms);
  const past = Date.now() - ms;
  const age = past < -1000 ? `in ${printAge(-past)}` : printAge(past);
  return (
    <time
      dateTime={date.toISOString()}
      className="number"
      // To print a time in full takes long.
      onPointerEnter={event => titled(absolute.format(date))(event)}
    >
      {age}
      {isAgo && past >= -1000 ? ' ago' : ''}
    </time>
  );
}

const tickMs = 10_000;
const tickers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times of a page. */
export function useTick(): void {
  const [, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    tickers.add(again);
    timer ??= setInterval(() => tickers.forEach(tick => tick()), tickMs);
    return () => {
      tickers.delete(again);
      if (tickers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
}
