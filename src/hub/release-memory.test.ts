import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { releaseMemoryWhenQuiet } from './release-memory.ts';

function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const store = { revision: 0 };
  let collections = 0;
  const releasing = releaseMemoryWhenQuiet(store, () => collections++);
  /** What the store has written until the next look, and how often memory was given back by then. */
  const look = (changes: number): number => {
    store.revision += changes;
    t.mock.timers.tick(10_000);
    return collections;
  };
  return { look, releasing };
}

test('memory is given back once when a busy time is over', t => {
  const { look } = start(t);
  assert.equal(look(50_000), 0, 'busy');
  assert.equal(look(50_000), 0, 'still busy');
  assert.equal(look(10), 1, 'over');
  assert.equal(look(0), 1, 'once');
  assert.equal(look(20_000), 1);
  assert.equal(look(0), 2, 'again after the next busy time');
});

test('a hub that is never busy is left alone', t => {
  const { look } = start(t);
  for (let i = 0; i < 90; i++) assert.equal(look(99), 0);
});

test('many small changes are worth a collection in the end', t => {
  const { look } = start(t);
  let collections = 0;
  for (let i = 0; i < 110; i++) collections = look(99);
  assert.equal(collections, 1);
});

test('it ends with its disposal', t => {
  const { look, releasing } = start(t);
  look(50_000);
  releasing[Symbol.dispose]();
  assert.equal(look(0), 0);
});

test('the real collection can be had', () => {
  releaseMemoryWhenQuiet({ revision: 0 })[Symbol.dispose]();
});
