import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TablePrinter } from '../output/table-printer.ts';
import { redrawnLines } from '../output/redrawn-lines.ts';
import { liveTable } from './live-table.ts';

const columnDefinitions = [
  { name: 'Name', type: 'string', format: 'name' },
  { name: 'Phase', type: 'string' },
  { name: 'Age', type: 'string' },
];
const start = new Date('2026-01-01T00:01:40Z');
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);
const row = (name: string, phase: string, age = '100s') => ({
  cells: [name, phase, age],
  object: { metadata: { name, namespace: 'n', creationTimestamp: '2026-01-01T00:00:00Z' } },
});
const whole = { isGone: false, isWhole: true, now: start };
const change = { isGone: false, isWhole: false, now: start };
const wide = { columns: 80, rows: 24 };
const table = (...rows: ReturnType<typeof row>[]) => ({ columnDefinitions, rows });

test('what is there is shown as it is now, and its age goes on', () => {
  const live = liveTable();
  const lines = (now = start) => live.lines(new TablePrinter({}), wide, now);
  live.change('', table(row('b', 'Pending'), row('a', 'Running')), whole);
  assert.deepEqual(lines(), ['NAME   PHASE     AGE', 'a      Running   100s', 'b      Pending   100s']);
  live.change('', table(row('b', 'Running')), change);
  live.change('', table(row('a', 'Running')), { ...change, isGone: true });
  assert.deepEqual(lines(later(500)), ['NAME   PHASE     AGE', 'b      Running   10m']);
  live.change('', table(row('c', 'Odd', '5 minutes')), change);
  assert.equal(lines(later(900))[2], 'c      Odd       5 minutes', 'what is no age of ours stays as it was said');
});

test('a source that is read anew has what it has then, and the others stay', () => {
  const live = liveTable();
  live.change('east', table(row('a', 'Running'), row('gone', 'Running')), whole);
  live.change('west', table(row('a', 'Pending')), whole);
  live.change('east', table(row('a', 'Failed')), whole);
  assert.deepEqual(live.lines(new TablePrinter({ noHeaders: true }), wide, start), ['a     Failed    100s', 'a     Pending   100s']);
});

test('a small window has what changed last, and no line goes on below itself', () => {
  const live = liveTable();
  const names = Array.from({ length: 30 }, (_, i) => `pod-${String(i).padStart(2, '0')}`);
  live.change('', table(...names.map(name => row(name, 'Running'))), whole);
  live.change('', table(row('pod-03', 'Failed')), change);
  const lines = live.lines(new TablePrinter({}), { columns: 20, rows: 6 }, start);
  assert.deepEqual(
    lines,
    ['NAME     PHASE     A…', 'pod-03   Failed    1…', 'pod-28   Running   1…', 'pod-29   Running   1…', '… and 27 more, which…'].map(
      line => (line.length > 20 ? `${line.slice(0, 19)}…` : line),
    ),
  );
  assert.ok(lines.every(line => [...line].length <= 20));
});

test('lines are drawn over those before them, and only when they differ', () => {
  let said = '';
  const drawn = redrawnLines({ out: text => void (said += text) });
  drawn.draw(['a', 'b']);
  drawn.draw(['a', 'b']);
  assert.equal(said, '\u001b[2Ka\n\u001b[2Kb\n\u001b[0J');
  said = '';
  drawn.draw(['c']);
  assert.equal(said, '\u001b[2A\u001b[2Kc\n\u001b[0J');
  said = '';
  drawn.clear();
  drawn.clear();
  assert.equal(said, '\u001b[1A\u001b[0J');
});
