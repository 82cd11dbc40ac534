import type { TableColumn } from '../../data/watched-list.ts';
import { StateBadge, words, type Tone } from '../../parts/state-badge.tsx';
import type { PrintedRow } from './printed-rows.ts';

const tones: readonly [RegExp, Tone][] = [
  [/^(running|ready|active|bound|true|succeeded|complete|completed|available|healthy|deployed|answering)$/i, 'good'],
  [/^(pending|containercreating|progressing|waiting|unknown|init:.*|podinitializing)$/i, 'info'],
  [/^(terminating|notready.*|schedulingdisabled|ready,.*|outranked)$/i, 'warn'],
  [/(error|fail|backoff|evicted|oomkilled|unreachable|disconnected|^false$|lost)/i, 'bad'],
];

/** Whether a column of a server says how something is. */
export const isStateColumn = (name: string): boolean => /^(status|phase|ready|state|reason)$/i.test(name);

/** What a word of a server means; counts such as 2/3 are compared. Undefined for words that mean nothing here. */
export function toneOf(text: string): Tone | undefined {
  const [, have, want] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (have !== undefined) return have === want ? 'good' : 'warn';
  return tones.find(([pattern]) => pattern.test(text))?.[1];
}

const gravity: readonly Tone[] = ['bad', 'warn', 'info', 'idle', 'good'];

/** How a printed object is, by the worst of what its columns say. */
export function toneOfRow({ object }: PrintedRow, columns: readonly TableColumn[]): Tone {
  const found = columns.flatMap(({ name }, at) => (isStateColumn(name) ? (toneOf(String(object.cells[at] ?? '')) ?? []) : []));
  return gravity.find(tone => found.includes(tone)) ?? 'idle';
}

/** Words of servers that say how something is. */
export function PrintedState({ text }: { text: string }) {
  const tone = toneOf(text);
  return tone ? <StateBadge tone={tone} word={/^\d/.test(text) ? text : words(text)} /> : text;
}
