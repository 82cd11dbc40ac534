interface TabWriterOptions {
  readonly minWidth?: number;
  readonly padding?: number;
  /** Whether columns stay as wide as they were. Default true. */
  readonly remembers?: boolean;
}

/**
 * Lines of cells that are parted by tabs, aligned as kubectl aligns them: a column is as wide as its widest cell in the lines around it that have
 * the column, and never narrower than it was in lines that were flushed before.
 */
export class TabWriter {
  private lines: string[][] = [];
  private remembered: number[] = [];
  private readonly minWidth: number;
  private readonly padding: number;
  private readonly remembers: boolean;

  constructor({ minWidth = 6, padding = 3, remembers = true }: TabWriterOptions = {}) {
    this.minWidth = minWidth;
    this.padding = padding;
    this.remembers = remembers;
  }

  /** Adds a line. Tabs in it part cells too. */
  line(text: string): void {
    for (const line of text.split('\n')) this.lines.push(line.split('\t'));
  }

  /** The lines since the last flush. */
  flush(): string {
    const { lines } = this;
    if (lines.length === 0) return '';
    this.lines = [];
    const widths: number[][] = lines.map(() => []);
    this.measure(lines, widths, 0, lines.length, []);
    return lines.map((cells, i) => `${cells.map((cell, j) => padded(cell, widths[i]![j])).join('')}\n`).join('');
  }

  /** Begins a new table, which owes nothing to the widths of the last. */
  forget(): void {
    this.remembered = [];
  }

  /** Finds the widths of the columns to the right of `left` for the lines from `first` up to `end`. */
  private measure(lines: readonly string[][], widths: number[][], first: number, end: number, left: readonly number[]): void {
    const column = left.length;
    let at = first;
    while (at < end) {
      // The last cell of a line belongs to no column: nothing stands to its right.
      const isInColumn = (i: number) => i < end && column < lines[i]!.length - 1;
      if (!isInColumn(at)) {
        at++;
        continue;
      }
      const start = at;
      let width = this.minWidth;
      for (; isInColumn(at); at++) width = Math.max(width, lengthOf(lines[at]![column]!) + this.padding);
      const all = [...left, this.remember(left, width)];
      for (let i = start; i < at; i++) widths[i] = all;
      this.measure(lines, widths, start, at, all);
    }
  }

  private remember(left: readonly number[], width: number): number {
    if (!this.remembers) return width;
    for (let i = this.remembered.length; i < left.length; i++) this.remembered.push(left[i]!);
    const column = left.length;
    this.remembered[column] = Math.max(this.remembered[column] ?? 0, width);
    return this.remembered[column];
  }
}

const lengthOf = (text: string) => [...text].length;

function padded(cell: string, width: number | undefined): string {
  return width === undefined ? cell : cell + ' '.repeat(width - lengthOf(cell));
}
