import { ageOf } from '../../apiserver/table/human-duration.ts';
import { clipped } from '../output/redrawn-lines.ts';
import { TabWriter } from '../output/tab-writer.ts';
import type { TablePrinter } from '../output/table-printer.ts';
import type { Table, TableColumn, TableRow } from '../output/table.ts';

/** What is there now, of all APIs, as their changes tell it. */
export interface LiveTable {
  /** `isWhole`: begins all that a source has. */
  change(source: string, table: Table, how: { readonly isGone: boolean; readonly isWhole: boolean; readonly now: Date }): void;
  /** Fits into a window; of too many rows those that changed last are shown. */
  lines(printer: TablePrinter, screen: { readonly columns: number; readonly rows: number }, now: Date): string[];
}

interface Kept {
  readonly source: string;
  readonly row: TableRow;
  readonly columns: readonly TableColumn[];
  readonly changed: number;
  /** The column with the time since the object was made, which goes on by itself. */
  readonly ageColumn: number;
}

export function liveTable(): LiveTable {
  const kept = new Map<string, Kept>();
  let changes = 0;
  return {
    change(source, { columnDefinitions: columns, rows }, { isGone, isWhole, now }) {
      if (isWhole) for (const [key, one] of kept) if (one.source === source) kept.delete(key);
      for (const row of rows) {
        const { namespace = '', name = '' } = row.object?.metadata ?? {};
        const key = `${source}\0${namespace}\0${name || JSON.stringify(row.cells[0])}`;
        if (isGone) kept.delete(key);
        else kept.set(key, { source, row, columns, changed: ++changes, ageColumn: ageColumnOf(row, columns, now) });
      }
    },
    lines(printer, { columns, rows }, now) {
      const all = [...kept.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
      const room = Math.max(1, rows - 3);
      const shown = all.length <= room ? all : lastChanged(all, room);
      const writer = new TabWriter({ remembers: false });
      for (const one of shown) printer.print({ columnDefinitions: one.columns, rows: [withAge(one, now)] }, writer);
      const hidden = all.length - shown.length;
      const text = writer.flush().split('\n').slice(0, -1);
      return [...text, ...(hidden > 0 ? [`… and ${hidden} more, which changed earlier; a taller window shows them`] : [])].map(line =>
        clipped(line, columns),
      );
    },
  };
}

function lastChanged(all: readonly Kept[], count: number): Kept[] {
  const oldest = all.map(({ changed }) => changed).sort((a, b) => b - a)[count - 1]!;
  return all.filter(({ changed }) => changed >= oldest);
}

/** Clocks differ a little, and the answer was on its way. */
const slackMs = [0, -1000, 1000, -2000, 2000];

function ageColumnOf({ cells, object }: TableRow, columns: readonly TableColumn[], now: Date): number {
  const made = object?.metadata.creationTimestamp;
  const at = columns.findIndex(({ name }) => name === 'Age');
  const isAge = made !== undefined && slackMs.some(ms => ageOf(made, new Date(now.getTime() + ms)) === cells[at]);
  return isAge ? at : -1;
}

function withAge({ row, ageColumn }: Kept, now: Date): TableRow {
  if (ageColumn < 0) return row;
  return { ...row, cells: row.cells.with(ageColumn, ageOf(row.object?.metadata.creationTimestamp, now)) };
}
