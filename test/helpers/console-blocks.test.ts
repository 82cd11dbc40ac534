import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf, matchesOutput } from './console-blocks.ts';

test('commands are read with their continuation and their output', () => {
  const text = [
    '# T',
    '<!-- run: setup -->',
    '```console',
    '$ one \\',
    '>   two',
    'said',
    '$ three',
    '```',
    'text',
    '```yaml',
    'a: 1',
    '```',
  ].join('\n');
  assert.deepEqual(commandsOf(text), {
    shown: [
      { line: 2, command: 'setup', output: [] },
      { line: 4, command: 'one \\\n  two', output: ['said'] },
      { line: 7, command: 'three', output: [] },
    ],
    unrunnable: [],
  });
});

test('commands that would not be run are found', () => {
  const text = '```sh\ndrover get pods\n```\n```\n$ kubectl get pods\n```\n```console\nlost\n```';
  assert.deepEqual(
    commandsOf(text).unrunnable.map(({ line }) => line),
    [2, 5, 8],
  );
});

test('what is promised is held to, except where it says anything goes', () => {
  assert.ok(matchesOutput(['NAME   AGE', 'a      …'], 'NAME                AGE\na   5s\n'));
  assert.ok(matchesOutput(['first', '…', 'last'], 'first\nx\ny\nlast\n'));
  assert.ok(matchesOutput(['…'], ''));
  assert.ok(!matchesOutput(['a'], 'a\nb\n'));
  assert.ok(!matchesOutput(['a.c'], 'abc\n'));
  assert.ok(!matchesOutput(['a', 'b'], 'a\n'));
});
