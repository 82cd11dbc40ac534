import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsInSight } from './row-window.ts';

const slotsOf = (rows: ReturnType<typeof rowsInSight>) => rows.map(({ slot }) => slot);
const indexesOf = (rows: ReturnType<typeof rowsInSight>) => rows.map(({ index }) => index);

test('all rows between the first and the last are drawn, each once', () => {
  for (let first = 0; first < 40; first++)
    for (let turn = 0; turn < 7; turn++) {
      const rows = rowsInSight({ first, slots: 7, turn }, 1000);
      assert.deepEqual(
        indexesOf(rows).toSorted((a, b) => a - b),
        Array.from({ length: 7 }, (_, i) => first + i),
      );
      assert.equal(new Set(slotsOf(rows)).size, 7);
    }
});

test('whoever scrolls, up or down, moves no element and keeps rows where they are', () => {
  const at = (first: number) => rowsInSight({ first, slots: 5, turn: 2 }, 1000);
  for (let first = 0; first < 20; first++) assert.deepEqual(slotsOf(at(first)), slotsOf(at(0)));
  const slotOf = (first: number, index: number) => at(first).find(one => one.index === index)?.slot;
  assert.equal(slotOf(10, 12), slotOf(11, 12));
});

test('once scrolling is over, elements stand in the order of their rows', () => {
  assert.deepEqual(indexesOf(rowsInSight({ first: 13, slots: 5, turn: 13 % 5 }, 1000)), [13, 14, 15, 16, 17]);
});

test('where rows end, elements are left out', () => {
  assert.deepEqual(indexesOf(rowsInSight({ first: 8, slots: 7, turn: 1 }, 10)), [8, 9]);
  assert.deepEqual(rowsInSight({ first: 0, slots: 60, turn: 0 }, 0), []);
});
