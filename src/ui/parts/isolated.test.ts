import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isolated } from './isolated.ts';

test('a name that turns the direction is closed in, and cannot open what closes it in', () => {
  assert.equal(isolated('Ann 🐑'), 'Ann 🐑');
  assert.equal(isolated('\u202Ecba'), '\u2068\u202Ecba\u2069');
  assert.equal(isolated('שלום'), '\u2068שלום\u2069');
  assert.equal(isolated('a\u2069\u202Eb'), '\u2068a\u202Eb\u2069');
});
