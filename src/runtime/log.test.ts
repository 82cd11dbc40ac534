import assert from 'node:assert/strict';
import { test } from 'node:test';
import { log, sendLogTo } from './log.ts';

test('whoever logs does not fail because of it', t => {
  const lines: string[] = [];
  t.after(() => sendLogTo(line => void process.stderr.write(line)));
  sendLogTo(line => lines.push(line));
  log.warn('said', { err: 'why' });
  assert.match(lines.join(''), /"message":"said","err":"why"/);
  log.warn('a number that JSON does not have', { err: 1n });
  sendLogTo(() => {
    throw new Error('ENOSPC: no space left on device, write');
  });
  log.warn('the disk is full');
});
