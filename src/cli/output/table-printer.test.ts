import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../util/json.ts';
import { mergeTables } from './merge-tables.ts';
import { TabWriter } from './tab-writer.ts';
import { TablePrinter, type TablePrinterOptions } from './table-printer.ts';
import type { Table } from './table.ts';

const columns = [
  { name: 'Name', type: 'string', format: 'name' },
  { name: 'Ready', type: 'string' },
  { name: 'Node', type: 'string', priority: 1 },
];

const pods = (...rows: Json[][]): Table => ({
  columnDefinitions: columns,
  rows: rows.map(cells => ({
    cells,
    object: { metadata: { name: String(cells[0]), namespace: 'shop', labels: { app: 'web', 'x.io/tier': 'a' } } },
  })),
});

function printed(options: TablePrinterOptions, ...tables: (Table | [Table, string])[]): string {
  const printer = new TablePrinter(options);
  const writer = new TabWriter();
  for (const one of tables) {
    const [table, event] = Array.isArray(one) ? one : [one, undefined];
    printer.print(table, writer, event);
  }
  return writer.flush();
}

const table = pods(['a', '1/1', 'n1'], ['b', '0/1', null]);

test('columns of lower rank are for wide tables', () => {
  assert.equal(printed({}, table), 'NAME   READY\na      1/1\nb      0/1\n');
  assert.equal(printed({ wide: true }, table), 'NAME   READY   NODE\na      1/1     n1\nb      0/1     \n');
});

test('namespace, kind and labels are added', () => {
  assert.equal(
    printed({ withNamespace: true, kind: 'pod', labelColumns: ['x.io/tier', 'none'], showLabels: true }, table),
    'NAMESPACE   NAME    READY   TIER   NONE   LABELS\n' +
      'shop        pod/a   1/1     a             app=web,x.io/tier=a\n' +
      'shop        pod/b   0/1     a             app=web,x.io/tier=a\n',
  );
});

test('headers appear once, and only above rows', () => {
  assert.equal(printed({}, pods()), '');
  assert.equal(printed({}, pods(), table, pods(['c', '1/1', ''])), 'NAME   READY\na      1/1\nb      0/1\nc      1/1\n');
  assert.equal(printed({ noHeaders: true }, table), 'a     1/1\nb     0/1\n');
});

test('events without columns use those that came before', () => {
  assert.equal(
    printed({}, [table, 'ADDED'], [{ columnDefinitions: [], rows: [{ cells: ['c', '1/1', ''] }] }, 'DELETED']),
    'EVENT      NAME   READY\nADDED      a      1/1\nADDED      b      0/1\nDELETED    c      1/1\n',
  );
});

test('text of strangers cannot command a terminal or break a line', () => {
  assert.equal(printed({}, pods(['a\u001b[31mred', 'one\ntwo', ''])), 'NAME         READY\na^[[31mred   one...\n');
});

test('numbers and truth values print as Go prints them', () => {
  assert.equal(printed({ noHeaders: true, wide: true }, pods([12345678, true, 1.5])), '12345678   true   1.5\n');
});

test('tables with other columns are merged by name', () => {
  const other: Table = {
    columnDefinitions: [columns[0]!, { name: 'Phase', type: 'string' }, columns[1]!],
    rows: [{ cells: ['z', 'Up', '2/2'] }],
  };
  const merged = mergeTables([table, other]);
  assert.deepEqual(
    merged.columnDefinitions.map(({ name }) => name),
    ['Name', 'Phase', 'Ready', 'Node'],
  );
  assert.deepEqual(
    merged.rows.map(({ cells }) => cells),
    [
      ['a', null, '1/1', 'n1'],
      ['b', null, '0/1', null],
      ['z', 'Up', '2/2', null],
    ],
  );
});
