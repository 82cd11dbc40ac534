import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestTag, rangeIn, rangeOfTags } from './newest-tag.ts';

const tags = ['v1.0.0', '1.2.0', 'v1.10.0', '2.0.0-rc.1', 'v2', '1.99', 'latest', 'v1.3', 'release-3.0.0', 'v0.9.0'];

test('the newest whole version within the range is taken, with or without its letter', () => {
  assert.equal(newestTag(tags, '1.x', 'here'), 'v1.10.0');
  assert.equal(newestTag(tags, '~1.2', 'here'), '1.2.0');
  assert.equal(newestTag(tags, '<1', 'here'), 'v0.9.0');
  assert.equal(newestTag(tags, '*', 'here'), 'v1.10.0');
  assert.equal(newestTag(tags, '>=2.0.0-0', 'here'), '2.0.0-rc.1');
  assert.equal(newestTag(['1.0.0', 'v1.0.0'], '1.x', 'here'), newestTag(['v1.0.0', '1.0.0'], '1.x', 'here'));
});

test('what cannot be had is said', () => {
  assert.throws(
    () => newestTag(tags, '3.x', 'git+https://x/y'),
    /^SourceError: no tag within "3.x" found in "git\+https:\/\/x\/y"; it has 2\.0\.0-rc\.1, v1\.10\.0, 1\.2\.0 and 2 more$/,
  );
  assert.throws(() => newestTag(tags, 'no range', 'here'), /"no range" is no range of versions/);
});

test('a range is told from the name of a tag', () => {
  assert.equal(rangeIn(rangeOfTags('>=1.0 <2')), '>=1.0 <2');
  assert.equal(rangeIn('1.x'), undefined);
});
