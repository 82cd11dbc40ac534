/** What a field of a schedule may hold. */
export interface FieldBounds {
  readonly what: string;
  readonly min: number;
  readonly max: number;
  /** Where `*` and steps without an end stop. `max` when absent. */
  readonly top?: number;
  readonly names?: Readonly<Record<string, number>>;
  /** Whether a range may run over the end, such as `FRI-MON`. */
  readonly mayWrap?: boolean;
}

/** The schedule cannot be read. The message is for people. */
export class ScheduleError extends Error {
  override name = 'ScheduleError';
}

export const named = (list: string, first: number): Readonly<Record<string, number>> =>
  Object.fromEntries(list.split(' ').map((name, i) => [name, i + first]));

export const monthNames = named('jan feb mar apr may jun jul aug sep oct nov dec', 1);
export const weekdayNames = 'sun mon tue wed thu fri sat';

/** Values of a list of numbers, names, ranges and steps: `*`, `5`, `1-5`, `0/15`, `mon-fri`. Throws ScheduleError. */
export function parseField(text: string, bounds: FieldBounds): Set<number> {
  const values = new Set<number>();
  for (const range of text.split(',')) for (const value of valuesOf(range, bounds)) values.add(value);
  return values;
}

function valuesOf(range: string, bounds: FieldBounds): number[] {
  const { what, min, max, top = max } = bounds;
  const [, ends, step] = /^([^/]*)(?:\/([0-9]{1,4}))?$/.exec(range) ?? [];
  if (ends === undefined) throw new ScheduleError(`${what}: "${range}" has a step that is no number`);
  const every = Number(step ?? 1);
  if (every === 0) throw new ScheduleError(`${what}: "${range}" has a step of 0`);
  if (ends === '*') return spread(min, top, every);
  const [low, high, ...more] = ends.split('-');
  if (more.length > 0) throw new ScheduleError(`${what}: "${range}" has more than one hyphen`);
  const first = valueOf(low!, bounds);
  const last = high === undefined ? (step === undefined ? first : top) : valueOf(high, bounds);
  if (first <= last) return spread(first, last, every);
  if (!bounds.mayWrap) throw new ScheduleError(`${what}: "${range}" ends before it begins`);
  return spread(first, last + max - min + 1, every).map(value => (value > max ? value - (max - min + 1) : value));
}

function valueOf(word: string, { what, min, max, names }: FieldBounds): number {
  const name = names?.[word.toLowerCase()];
  if (name !== undefined) return name;
  if (!/^[0-9]{1,4}$/.test(word)) throw new ScheduleError(`${what}: "${word}" is no number${names ? ' and no name' : ''}`);
  const value = Number(word);
  if (value < min || value > max) throw new ScheduleError(`${what}: ${value} is not between ${min} and ${max}`);
  return value;
}

function spread(first: number, last: number, every: number): number[] {
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => first + i * every);
}
