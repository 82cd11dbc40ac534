import type { ReactNode } from 'react';

/** What can be compared and searched for. */
export type CellValue = string | number | undefined;

export interface Column<T> {
  readonly id: string;
  readonly title: string;
  /** By which rows are sorted, and in which is searched. */
  value(row: T): CellValue;
  /** What is shown. The value when absent. */
  cell?(row: T): ReactNode;
  /** As in `grid-template-columns`. Default `minmax(7rem, 1fr)`. */
  readonly width?: string;
  readonly isNumber?: boolean;
  /** Whether it is there only when somebody chooses it. */
  readonly isExtra?: boolean;
}

export interface TableView {
  /** `name`, or `-name` from the end. */
  readonly sort: string;
  readonly filter: string;
}

/** Those rows that have all the words, in the order of the sort. Equal ones stay as they were. */
export function arrange<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { sort, filter }: TableView,
  /** Where a row was the last time: what is nearly sorted already is sorted at little cost. */
  placeBefore?: (row: T) => number | undefined,
): readonly T[] {
  const found = asBefore(search(rows, columns, filter), placeBefore);
  const isReverse = sort.startsWith('-');
  const column = columns.find(one => one.id === (isReverse ? sort.slice(1) : sort));
  if (!column) return found;
  const keyed = found.map(row => ({ row, key: column.value(row) }));
  const sign = isReverse ? -1 : 1;
  keyed.sort((a, b) => sign * compare(a.key, b.key));
  return keyed.map(({ row }) => row);
}

/** Those that were there in the order they had, new ones behind them. */
function asBefore<T>(rows: readonly T[], placeBefore: ((row: T) => number | undefined) | undefined): readonly T[] {
  if (!placeBefore) return rows;
  const placed: T[] = [];
  const added: T[] = [];
  for (const row of rows) {
    const place = placeBefore(row);
    if (place === undefined) added.push(row);
    else placed[place] = row;
  }
  const all = [...placed.filter(row => row !== undefined), ...added];
  return all.length === rows.length ? all : rows;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function compare(a: CellValue, b: CellValue): number {
  if (a === b) return 0;
  if (a === undefined || a === '') return 1;
  if (b === undefined || b === '') return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}

/** Words are looked for in all columns; `column:word` in one; `-word` must not be there. */
function search<T>(rows: readonly T[], columns: readonly Column<T>[], filter: string): readonly T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  const tests = words.map(word => testOf(word, columns));
  return rows.filter(row => tests.every(test => test(row)));
}

function testOf<T>(word: string, columns: readonly Column<T>[]): (row: T) => boolean {
  if (word.startsWith('-') && word.length > 1) {
    const test = testOf(word.slice(1), columns);
    return row => !test(row);
  }
  const colon = word.indexOf(':');
  const named = colon > 0 ? columns.find(one => one.id.toLowerCase() === word.slice(0, colon)) : undefined;
  const text = named ? word.slice(colon + 1) : word;
  const among = named ? [named] : columns;
  return row =>
    among.some(one =>
      String(one.value(row) ?? '')
        .toLowerCase()
        .includes(text),
    );
}
