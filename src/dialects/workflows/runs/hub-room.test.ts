import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hubRoom } from './hub-room.ts';

test('all runs together keep within the limit of the hub, and who waits hears of room', () => {
  const room = hubRoom(3);
  assert.equal(room.left('shop/a'), 3);
  assert.deepEqual(room.note('shop/a', 2, false), []);
  assert.deepEqual([room.left('shop/a'), room.left('shop/b')], [3, 1]);
  assert.deepEqual(room.note('shop/b', 1, true), []);
  assert.deepEqual([room.left('shop/a'), room.left('shop/b'), room.left('shop/c')], [2, 1, 0]);
  assert.deepEqual(room.note('shop/a', 1, false), ['shop/b']);
  assert.deepEqual(room.note('shop/b', 2, false), []);
  assert.deepEqual(room.note('shop/a', 0, false), [], 'nobody waits any more');
});
