import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barLine, showProgress, type ProgressItem } from './progress.ts';

const item = (name: string, state: string, isDone = false): ProgressItem => ({ name, state, isDone });

function said(isErrorTty: boolean, ...rounds: ProgressItem[][]): string {
  let text = '';
  {
    using progress = showProgress({ isErrorTty, err: more => (text += more) });
    for (const items of rounds) progress.show(items);
  }
  return text;
}

test('without a terminal each change is a line, said once', () => {
  const before = [item('east', 'Applying'), item('west', 'Waiting')];
  const after = [item('east', 'Ready', true), item('west', 'Waiting')];
  assert.equal(said(false, before, before, after), 'east: Applying\nwest: Waiting\neast: Ready (1/2)\n');
});

test('a terminal has one line that is drawn again and wiped at the end', () => {
  const text = said(true, [item('east', 'Applying')], [item('east', 'Applying')], [item('east', 'Ready', true)]);
  assert.equal(text, `\r\x1b[K[${' '.repeat(20)}] 0/1  east: Applying\r\x1b[K[${'='.repeat(20)}] 1/1\r\x1b[K`);
  assert.equal(said(true), '');
});

test('the line fits 80 columns, and what others named obeys no terminal', () => {
  const many = Array.from({ length: 5000 }, (_, i) => item(`cluster-${i}`, 'Waiting', i < 2500));
  assert.equal(barLine(many).length, 79);
  for (const columns of [1, 10, 30, 79, 80, 300])
    assert.ok(barLine(many, columns).length <= Math.max(columns - 1, 1), `${columns} columns`);
  assert.equal(barLine([item('east', 'Applying'), item('west', 'Ready', true)], 30), '[===    ] 1/2  east: Applying');
  assert.equal(barLine([item('north-east', 'Provisioning')], 30), '[       ] 0/1  north-east: P…');
  assert.ok(barLine(many).startsWith(`[${'='.repeat(10)}${' '.repeat(10)}] 2500/5000  cluster-2500: Waiting, `));
  assert.ok(!barLine([item('a\x1b[2Jb', 'Wai\nting')]).includes('\x1b'));
  assert.equal(barLine([]), `[${' '.repeat(20)}] 0/0`);
});
