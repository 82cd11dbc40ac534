import type { ReactNode } from 'react';

/** What can be compared and searched for. */
export type CellValue = string | number | undefined;

export interface Column<T> {
  readonly id: string;
  readonly title: string;
  /** What is meant, for those who point at the title. */
  readonly hint?: string;
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

/** Words are looked for in all columns; `column:word` in one; `-word` must not be there. */
export function search<T>(rows: readonly T[], columns: readonly Column<T>[], filter: string): readonly T[] {
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
