import assert from 'node:assert/strict';
import { test } from 'node:test';
import { search, type Column } from '../../src/ui/parts/table/columns.ts';
import { sortRows } from '../../src/ui/parts/table/sort-rows.ts';

interface Animal {
  readonly name: string;
  readonly legs: number | undefined;
}

const columns: readonly Column<Animal>[] = [
  { id: 'name', title: 'Name', value: one => one.name },
  { id: 'legs', title: 'Legs', value: one => one.legs },
];
const rows: readonly Animal[] = [
  { name: 'cow-10', legs: 4 },
  { name: 'hen', legs: 2 },
  { name: 'cow-9', legs: 4 },
  { name: 'snake', legs: undefined },
];
const names = (sort: string, filter = '') => search(sortRows(rows, columns, sort).rows, columns, filter).map(one => one.name);

test('rows are sorted as people count, and what is not known comes last', () => {
  assert.deepEqual(names('name'), ['cow-9', 'cow-10', 'hen', 'snake']);
  assert.deepEqual(names('legs'), ['hen', 'cow-9', 'cow-10', 'snake']);
});

test('equal rows are in the order of the first column, also from the end', () => {
  assert.deepEqual(
    names('-legs').filter(name => name.startsWith('cow')),
    ['cow-9', 'cow-10'],
  );
});

test('rows must have all words; a word can be for one column, or must not be there', () => {
  assert.deepEqual(names('name', 'COW 10'), ['cow-10']);
  assert.deepEqual(names('name', 'legs:2'), ['hen']);
  assert.deepEqual(names('name', '-cow'), ['hen', 'snake']);
  assert.deepEqual(names('name', 'none:such'), []);
});

test('a sort that no column has leaves rows as they are', () => {
  assert.deepEqual(names('colour'), ['cow-10', 'hen', 'cow-9', 'snake']);
});
