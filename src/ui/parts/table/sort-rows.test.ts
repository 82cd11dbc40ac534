import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Column } from './columns.ts';
import { sortRows, type SortedRows } from './sort-rows.ts';

interface Thing {
  readonly id: number;
  readonly size: number | undefined;
}

const columns: readonly Column<Thing>[] = [
  { id: 'kind', title: 'Kind', value: () => 'thing' },
  { id: 'id', title: 'Id', value: ({ id }) => `thing-${id}` },
  { id: 'size', title: 'Size', value: ({ size }) => size },
];
const keyOf = ({ id }: Thing) => String(id);
const sizes = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });

test('what is sorted again after changes is sorted as from the beginning', () => {
  const changes = fc.array(fc.record({ id: fc.integer({ min: 0, max: 40 }), size: sizes, isGone: fc.boolean() }), { maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(sizes, { minLength: 20, maxLength: 40 }),
      changes,
      fc.constantFrom('id', '-id', 'size', '-size'),
      (first, then, sort) => {
        const things = new Map(first.map((size, id) => [id, { id, size }]));
        let sorted: SortedRows<Thing> | undefined;
        for (const { id, size, isGone } of [...then, { id: 0, size: 1, isGone: false }]) {
          sorted = sortRows([...things.values()], columns, sort, { before: sorted, keyOf });
          const fresh = sortRows([...things.values()], columns, sort);
          const value = (row: Thing) => (sort.endsWith('id') ? row.id : row.size);
          assert.deepEqual(sorted.rows.map(value), fresh.rows.map(value));
          assert.deepEqual(new Set(sorted.rows), new Set(things.values()));
          if (isGone) things.delete(id);
          else things.set(id, { id, size });
        }
      },
    ),
  );
});

test('a row that changes and sorts as before stays where it is among its equals', () => {
  const rows = Array.from({ length: 30 }, (_, id) => ({ id, size: 1 }));
  const before = sortRows(rows, columns, 'size');
  const changed = rows.with(7, { id: 7, size: 1 });
  const after = sortRows(changed.toReversed(), columns, 'size', { before, keyOf });
  assert.deepEqual(
    after.rows.map(({ id }) => id),
    before.rows.map(({ id }) => id),
  );
  assert.equal(after.rows[7], changed[7]);
});

test('a row whose value changes goes to its new place, and the others stay', () => {
  const rows = Array.from({ length: 30 }, (_, id) => ({ id, size: id }));
  const before = sortRows(rows, columns, 'size');
  const after = sortRows(rows.with(3, { id: 3, size: 20.5 }), columns, 'size', { before, keyOf });
  assert.deepEqual(
    after.rows.map(({ id }) => id),
    [...rows.map(({ id }) => id).filter(id => id !== 3 && id <= 20), 3, ...rows.map(({ id }) => id).filter(id => id > 20)],
  );
});

test('nothing has changed: the very same rows, so that nothing is drawn', () => {
  const rows = Array.from({ length: 30 }, (_, id) => ({ id, size: -id }));
  const before = sortRows(rows, columns, 'size');
  assert.equal(sortRows([...rows], columns, 'size', { before, keyOf }).rows, before.rows);
});
