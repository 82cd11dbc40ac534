import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitIgnore } from './git-ignore.ts';

const left = (rules: string, ...paths: string[]) => paths.filter(path => !gitIgnore(rules)(path));

test('rules leave out names anywhere, and paths where they are', () => {
  assert.deepEqual(left('*.md\n# a.yaml\n\n', 'a.yaml', 'README.md', 'x/y.md'), ['a.yaml']);
  assert.deepEqual(left('/a.yaml', 'a.yaml', 'x/a.yaml'), ['x/a.yaml']);
  assert.deepEqual(left('x/*.yaml', 'x/a.yaml', 'x/y/a.yaml', 'y/x/a.yaml'), ['x/y/a.yaml', 'y/x/a.yaml']);
  assert.deepEqual(left('x', 'x', 'x/a', 'y/x/a', 'xx/a'), ['xx/a']);
});

test('rules for folders are not for files', () => {
  assert.deepEqual(left('x/', 'x', 'x/a', 'y/x/a', 'y/x'), ['x', 'y/x']);
  assert.deepEqual(left('/x/', 'x', 'x/a', 'y/x/a'), ['x', 'y/x/a']);
});

test('two stars stand for any folders', () => {
  assert.deepEqual(left('**/a.yaml', 'a.yaml', 'x/a.yaml', 'x/y/a.yaml', 'x/b.yaml'), ['x/b.yaml']);
  assert.deepEqual(left('x/**/a.yaml', 'x/a.yaml', 'x/y/z/a.yaml', 'y/a.yaml'), ['y/a.yaml']);
  assert.deepEqual(left('x/**', 'x/a', 'x/y/b', 'y/x/a'), ['y/x/a']);
});

test('the last rule that says something counts', () => {
  assert.deepEqual(left('/*\n!/deploy', 'a.yaml', 'deploy/a.yaml', 'x/deploy/a.yaml'), ['deploy/a.yaml']);
  assert.deepEqual(left('!a.yaml\n*.yaml', 'a.yaml'), []);
  assert.deepEqual(left('*.yaml\n!a.yaml', 'a.yaml', 'b.yaml'), ['a.yaml']);
  assert.deepEqual(left('[', 'a', '['), ['a', '['], 'a rule that cannot be understood says nothing');
});
