import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { tempDir } from '../../../../test/helpers/temp-dir.ts';
import { logFiles, type LogFilesOptions } from './log-files.ts';
import { printEntry } from './print-entry.ts';
import type { LogEntry, LogLine, LogUnit } from './run-logs.ts';

const run = { namespace: 'shop', name: 'r', uid: 'uid-1' };
const place = { cluster: 'c-1', step: 'Rollout Deployment', grant: 3 };
const line = (message: string, unit: LogUnit = 'Apply'): LogLine => ({ unit, level: 'INFO', message });

function start(t: TestContext, options: Partial<LogFilesOptions> = {}) {
  const scratch = tempDir('run-logs');
  t.after(() => scratch[Symbol.dispose]());
  const open = () => logFiles({ dir: scratch.dir, ...options });
  return { logs: open(), reopen: open };
}

async function all(entries: AsyncIterable<LogEntry>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { msg } of entries) texts.push(msg);
  return texts;
}

test('a unit that is told again after a restart says only what is new', async t => {
  const { logs, reopen } = start(t);
  logs.append(run, place, [line('one'), line('two'), line('other', 'Prepare')]);

  const again = reopen();
  again.append(run, place, [line('one'), line('two'), line('three')]);
  again.append(run, { ...place, grant: 4 }, [line('one')]);

  assert.deepEqual(await all(again.read(run.uid)), ['one', 'two', 'other', 'three', 'one']);
});

test('lines that come one after the other are added', async t => {
  const { logs } = start(t);
  logs.append(run, place, [line('one')]);
  logs.add(run, place, [line('event')]);
  logs.add(run, place, [line('event')]);

  assert.deepEqual(await all(logs.read(run.uid)), ['one', 'event', 'event']);
});

test('lines are chosen by cluster, step, unit and time, those of the run itself first', async t => {
  let nowMs = Date.parse('2022-02-16T12:46:39Z');
  const { logs } = start(t, { now: () => new Date(nowMs) });
  logs.append(run, place, [line('of c-1'), line('prepared', 'Prepare')]);
  logs.append(run, { ...place, cluster: 'c-2' }, [line('of c-2')]);
  nowMs += 1000;
  logs.append(run, { step: 'Resolve Clusters', grant: 1 }, [line('of the run', 'Execute')]);

  assert.deepEqual(await all(logs.read(run.uid)), ['of the run', 'of c-1', 'prepared', 'of c-2']);
  assert.deepEqual(await all(logs.read(run.uid, { clusters: ['c-2'] })), ['of c-2']);
  assert.deepEqual(await all(logs.read(run.uid, { clusters: [''] })), ['of the run']);
  assert.deepEqual(await all(logs.read(run.uid, { unit: 'Prepare' })), ['prepared']);
  assert.deepEqual(await all(logs.read(run.uid, { step: 'Resolve Clusters' })), ['of the run']);
  assert.deepEqual(await all(logs.read(run.uid, { since: new Date(nowMs) })), ['of the run']);
  assert.deepEqual(await all(logs.read('another')), []);
});

test('secrets are stars, the longest whole, short ones as they are', async t => {
  const { logs } = start(t);
  logs.hide(run.uid, ['sesame', 'open sesame', 'abc']);
  logs.append(run, place, [line('say open sesame or sesame or abc')]);

  assert.deepEqual(await all(logs.read(run.uid)), ['say ************** or ************** or abc']);
});

test('of a unit that says very much the beginning and the end are kept, also over a restart', async t => {
  const { logs, reopen } = start(t, { maxBytes: 8_000 });
  const lines = Array.from({ length: 200 }, (_, i) => line(`line ${i}`));
  logs.append(run, place, lines.slice(0, 150));
  const again = reopen();
  again.append(run, place, lines);
  again.append(run, place, [line('wrapped up', 'Wrap Up')]);

  const told = await all(again.read(run.uid));
  assert.equal(told[0], 'line 0');
  assert.deepEqual(told.slice(-2), ['line 199', 'wrapped up']);
  assert.ok(told.some(text => / lines are left out$/.test(text)));
  assert.ok(told.length < 90, `${told.length} lines`);
  assert.equal(new Set(told).size, told.length);
});

test('whoever follows gets what was said and what is being said, until it ends', async t => {
  const { logs } = start(t);
  const stop = new AbortController();
  logs.append(run, place, [line('before')]);
  const followed = logs.follow(run.uid, {}, stop.signal)[Symbol.asyncIterator]();
  assert.equal((await followed.next()).value?.msg, 'before');

  logs.append(run, place, [line('before'), line('meanwhile')]);
  assert.equal((await followed.next()).value?.msg, 'meanwhile');
  const next = followed.next();
  logs.append(run, { ...place, cluster: 'c-2' }, [line('later')]);
  assert.equal((await next).value?.msg, 'later');

  logs.append(run, { ...place, cluster: 'c-3' }, [line('last')]);
  stop.abort();
  assert.equal((await followed.next()).value?.msg, 'last');
  assert.equal((await followed.next()).done, true);
});

test('nothing is left of a run that was removed', async t => {
  const { logs } = start(t);
  logs.append(run, place, [line('one')]);
  assert.deepEqual(logs.kept(), ['uid-1']);
  logs.remove(run.uid);
  assert.deepEqual(logs.kept(), []);
  logs.append(run, place, [line('anew')]);
  assert.deepEqual(await all(logs.read(run.uid)), ['anew']);
});

test('a disk that refuses ends nobody', t => {
  const scratch = tempDir('run-logs');
  t.after(() => scratch[Symbol.dispose]());
  const dir = join(scratch.dir, 'logs');
  const logs = logFiles({ dir });
  rmSync(dir, { recursive: true });
  writeFileSync(dir, 'no folder');
  logs.append(run, place, [line('one')]);
  assert.deepEqual(logs.kept(), []);
  logs.remove(run.uid);
});

test('whoever follows and does not read is left', async t => {
  const { logs } = start(t);
  logs.append(run, place, [line('one')]);
  const entries = logs.follow(run.uid, {}, new AbortController().signal)[Symbol.asyncIterator]();
  assert.equal((await entries.next()).value?.msg, 'one');
  for (let i = 0; i < 7; i++) logs.add(run, place, Array<LogLine>(10_000).fill(line('more')));
  await assert.rejects(async () => {
    for (;;) await entries.next();
  }, /not read/);
});

test('a line is printed as the people of Harness know it', () => {
  assert.equal(
    printEntry({ level: 'INFO', ts: '2022-02-16T12:46:39.123Z', msg: 'Fetched clusters list: [a, b]' }),
    'INFO   2022-02-16 12:46:39    Fetched clusters list: [a, b]',
  );
});
