import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './make-folder.ts';

test('folders are made with those above them, once, and a place where none can be made is told at once', t => {
  const dir = mkdtempSync(join(tmpdir(), 'drover-folders-'));
  t.after(() => rmSync(dir, { recursive: true }));
  makeFolder(join(dir, 'a/b/c'));
  makeFolder(join(dir, 'a/b/c/'));
  assert.equal(statSync(join(dir, 'a/b/c')).mode & 0o777, 0o700);
  writeFileSync(join(dir, 'file'), '');
  const code = (expected: string) => ({ code: expected });
  assert.throws(() => makeFolder(join(dir, 'file')), code('EEXIST'));
  assert.throws(() => makeFolder(join(dir, 'file/x')), code('ENOTDIR'));
  if (process.platform === 'linux') assert.throws(() => makeFolder('/proc/.drover/deep'), code('ENOENT'));
});
