/** One line of a benchmark. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer: number;
  /** How many times better ours is: by being more where more is better, by being less where less is better. */
  readonly ratio: number;
  /** As people read it; absent when there is none. */
  readonly goal?: string;
  readonly isMet?: boolean;
}

export interface FigureInput {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer: number;
  readonly better: 'more' | 'less';
  /** Ours must be at least this many times better. */
  readonly atLeastTimes?: number;
  /** Ours must stay below this, whatever the peer does. */
  readonly below?: number;
  /** Ours may be at most so much more than the peer's. */
  readonly within?: number;
}

export function figure({ name, unit, ours, peer, better, atLeastTimes, below, within }: FigureInput): Figure {
  const ratio = better === 'more' ? ours / peer : peer / ours;
  const figures = { name, unit, ours, peer, ratio };
  if (atLeastTimes !== undefined) return { ...figures, goal: `>= ${atLeastTimes}x`, isMet: ratio >= atLeastTimes };
  if (below !== undefined) return { ...figures, goal: `< ${below} ${unit}`, isMet: ours < below };
  if (within !== undefined) return { ...figures, goal: `<= peer + ${within} ${unit}`, isMet: ours <= peer + within };
  return figures;
}

/** One aligned line per figure: `name ours peer ratio goal`. */
export function printFigures(figures: readonly Figure[]): string {
  const rows = [
    ['name', 'ours', 'peer', 'ratio', 'goal'],
    ...figures.map(f => [
      `${f.name} (${f.unit})`,
      round(f.ours),
      round(f.peer),
      Number.isNaN(f.ratio) ? '-' : `${f.ratio.toFixed(2)}x`,
      goalOf(f),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)));
  const pad = (text: string, column: number): string =>
    column === 0 || column === 4 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!);
  return rows.map(row => row.map(pad).join('  ').trimEnd()).join('\n');
}

function goalOf({ goal, isMet }: Figure): string {
  return goal === undefined ? '-' : `${goal}${isMet ? '' : '  missed'}`;
}

function round(value: number): string {
  if (Number.isNaN(value)) return '-';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
