import { jsonEqual, type Json } from '../../util/json.ts';
import type { Table, TableColumn } from './table.ts';

/** One table of all rows. Columns that only some tables have are empty in the others: members differ in version. */
export function mergeTables(tables: readonly Table[]): Table {
  const [first] = tables;
  if (!first) return { columnDefinitions: [], rows: [] };
  if (tables.every(({ columnDefinitions }) => jsonEqual(columnDefinitions, first.columnDefinitions)))
    return { columnDefinitions: first.columnDefinitions, rows: tables.flatMap(({ rows }) => rows) };
  const columns: TableColumn[] = [];
  for (const { columnDefinitions } of tables) addColumns(columns, columnDefinitions);
  return {
    columnDefinitions: columns,
    rows: tables.flatMap(({ columnDefinitions, rows }) => {
      const places = columns.map(({ name }) => columnDefinitions.findIndex(one => one.name === name));
      return rows.map(row => ({ ...row, cells: places.map((at): Json => (at < 0 ? null : (row.cells[at] ?? null))) }));
    }),
  };
}

/** A new column goes behind the one that it follows in its own table. */
function addColumns(all: TableColumn[], added: readonly TableColumn[]): void {
  let behind = -1;
  for (const column of added) {
    const known = all.findIndex(one => one.name === column.name);
    if (known < 0) all.splice(behind + 1, 0, column);
    behind = known < 0 ? behind + 1 : known;
  }
}
