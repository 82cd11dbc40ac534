import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../exit-codes.ts';
import { parseOnlyWork, parseWorkArgument } from './work-argument.ts';

test('a Work is named by type and name, in one word or two', () => {
  for (const words of [
    ['work/web'],
    ['works/web'],
    ['Work/web'],
    ['work.drover.io/web'],
    ['works.drover.io/web'],
    ['work', 'web'],
    ['works', 'web'],
  ])
    assert.equal(parseOnlyWork(words), 'web', words.join(' '));
});

test('words behind the Work are left for the command', () => {
  assert.deepEqual(parseWorkArgument(['work/web', '3']), { name: 'web', rest: ['3'] });
  assert.deepEqual(parseWorkArgument(['work', 'web', '3']), { name: 'web', rest: ['3'] });
});

test('what names no Work is a mistake of usage', () => {
  for (const words of [[], ['web'], ['work'], ['work/'], ['/web'], ['work/a/b'], ['pod/web'], ['pods', 'web']])
    assert.throws(
      () => parseWorkArgument(words),
      (error: unknown) => error instanceof CommandError && error.exitCode === 2,
      words.join(' '),
    );
  assert.throws(() => parseOnlyWork(['work/web', 'more']), /one word too many/);
});
