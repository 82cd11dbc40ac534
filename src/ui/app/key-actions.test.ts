import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflictsOf, keyActionIds, keysOf, nameOfKey, parseKeyChoices, withKeys } from './key-actions.ts';

test('the usual keys do not meet', () => {
  for (const id of keyActionIds) assert.deepEqual(conflictsOf(id, keysOf(id, {}), {}), [], id);
});

test('the same keys meet, and so do keys that begin with others; on different screens they do not', () => {
  assert.deepEqual(conflictsOf('clusters', 'g h', {}), ['home']);
  assert.deepEqual(conflictsOf('palette', 'g', {}).length, 10);
  assert.deepEqual(conflictsOf('edit', 'a', {}), []);
  assert.deepEqual(conflictsOf('edit', 'j', {}), ['nextRow'], 'tables are on many screens');
  assert.deepEqual(conflictsOf('edit', 'l', { logs: '' }), []);
});

test('what is as usual is not remembered, and what means nothing is forgotten', () => {
  assert.deepEqual(withKeys({}, 'edit', 'x'), { edit: 'x' });
  assert.deepEqual(withKeys({ edit: 'x' }, 'edit', 'e'), {});
  assert.deepEqual(withKeys({ edit: 'x', logs: '' }, 'edit', undefined), { logs: '' });
  assert.deepEqual(parseKeyChoices('{"edit":"x","toString":"y","logs":3,"nobody":"z"}'), { edit: 'x' });
  for (const text of [null, '', 'null', '[]', '{'] as const) assert.deepEqual(parseKeyChoices(text), {});
});

test('keys that people need to move about are not to be had', () => {
  const press = (key: string, more = {}) => nameOfKey({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });
  assert.equal(press('x'), 'x');
  assert.equal(press('K', { ctrlKey: true }), 'mod+k');
  for (const key of ['Tab', 'Enter', 'Shift', 'ArrowDown']) assert.equal(press(key), undefined);
  assert.equal(press('x', { altKey: true }), undefined);
});
