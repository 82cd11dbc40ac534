/**
 * Runs files of tests: `scripts/run-tests.ts AT_ONCE [--shared] GLOB…`, so many at once, and more while the processors have nothing to do. Those that took
 * longest the last time on this machine begin first, so that none is left over at the end. With `--shared`, neighbouring files share a process: for small tests, loading modules takes longer than testing.
 *
 * Many tests run real programs against deadlines, several files at once on few cores: a file that fails is run once more, alone. What fails alone as
 * well is broken; what does not is named `shaky`, a test to mend.
 */
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { inLanes } from '../test/helpers/lanes.ts';
import { buildProgram } from './build-program.ts';
import { readCached, writeCached } from './machine-cache.ts';

/** More than this is no bad luck. */
const maxSecondTries = 4;
/** A test that hangs fails. */
const timeout = 300_000;
/** A process is shared by files that take so long together. */
const sharedSeconds = 60;
const unknownSeconds = 2;

/** The first test waits for all files: a process ends when the tests that it knows are over, also while others are still being loaded. */
const holdTests = `import { test } from 'node:test';
const loaded = Promise.withResolvers();
test('the files of a process are there before its tests begin', () => loaded.promise);
`;

const { values, positionals } = parseArgs({ options: { shared: { type: 'boolean' } }, allowPositionals: true });
const [atOnce = '1', ...globs] = positionals;
// Programs that tests start begin sooner so; what shares a process starts none.
if (!values.shared) process.env['DROVER_PROGRAM'] ??= await buildProgram();
const preload = new URL('test-process.js', import.meta.url).href;
const cacheName = 'test-seconds.json';
const lastSeconds = readCached<Record<string, number>>(cacheName, {});
const scratch = mkdtempSync(path.join(tmpdir(), 'drover-tests-'));

const files = globSync(globs).toSorted();
const failed = await runGroups(values.shared ? neighbours(files) : files.map(file => [file]), Number(atOnce));
writeCached(cacheName, lastSeconds);
const stillFailed = failed.length > 0 && failed.length <= maxSecondTries ? await tryAlone(failed) : failed;
rmSync(scratch, { recursive: true });
// What a test left behind does not keep the run from ending.
process.exit(stillFailed.length === 0 ? 0 : 1);

async function tryAlone(some: readonly string[]): Promise<string[]> {
  console.log(`\n== once more, alone: ${some.join(' ')}`);
  const again = await runGroups(
    some.map(file => [file]),
    1,
  );
  for (const file of some) if (!again.includes(file)) console.log(`shaky: ${file} failed, and passed when it ran alone`);
  return again;
}

/** Files in the order of their paths, so that those of a process need the same modules. */
function neighbours(some: readonly string[]): string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const file of some) {
    const seconds = lastSeconds[file] ?? unknownSeconds;
    if (groups.length === 0 || seconds > room) {
      groups.push([]);
      room = sharedSeconds;
    }
    groups.at(-1)!.push(file);
    room -= seconds;
  }
  return groups;
}

/** The files whose process did not say at its end that all tests passed: those with a failure, or all of it when none can be named. */
async function runGroups(groups: readonly string[][], concurrency: number): Promise<string[]> {
  const membersOf = new Map(
    groups.toSorted((a, b) => expected(b) - expected(a) || sizeOf(b) - sizeOf(a)).map(group => [entryOf(group), group]),
  );
  const passed = new Set<string>();
  const faulty = new Set<string>();
  const seconds = new Map<string, number>();
  const total = { tests: 0, passed: 0, cancelled: 0, skipped: 0 };
  const shown = new spec();
  const printed = pipeline(shown, process.stdout, { end: false });
  await inLanes([...membersOf.keys()], concurrency, async entry => {
    const events: TestEvent[] = [];
    const one = run({ files: [entry], timeout, forceExit: false, execArgv: ['--test-force-exit', '--import', preload] });
    for await (const event of one as AsyncIterable<TestEvent>) events.push(event);
    // What belongs to one process is shown together, without the totals of each.
    for (const event of events) {
      note(event);
      if (event.type !== 'test:diagnostic' || event.data.file !== undefined) shown.write(event);
    }
  });
  shown.end();
  await printed;
  const failures = total.tests - total.passed - total.cancelled - total.skipped;
  console.log(`${total.tests} tests, ${total.passed} passed, ${failures} failed, ${total.cancelled} cancelled, ${total.skipped} skipped`);
  // A file that fails early is not quick.
  for (const [file, took] of seconds) if (!faulty.has(file)) lastSeconds[file] = Math.round(took * 10) / 10;
  return [...membersOf].flatMap(([entry, group]) => {
    if (passed.has(entry)) return [];
    const named = group.filter(file => faulty.has(file));
    return named.length > 0 ? named : group;
  });

  function note({ type, data }: TestEvent): void {
    if (type === 'test:fail' && data.file !== undefined) faulty.add(nameOf(data.file));
    if (type === 'test:complete' && data.nesting === 0 && data.file !== undefined)
      seconds.set(nameOf(data.file), (seconds.get(nameOf(data.file)) ?? 0) + data.details.duration_ms / 1000);
    if (type !== 'test:summary') return;
    // One of the process, and one of the run, which has no file.
    const group = data.file === undefined ? undefined : membersOf.get(data.file);
    if (group?.length === 1) seconds.set(group[0]!, data.duration_ms / 1000);
    if (group && data.success) passed.add(data.file!);
    if (!group) for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += data.counts[name];
  }
}

/** What a process runs: the file itself, or one that imports all of them. */
function entryOf(group: readonly string[]): string {
  if (group.length === 1) return path.resolve(group[0]!);
  const entry = path.join(scratch, `${group[0]!.replaceAll(/[^\w.]/g, '-')}.mjs`);
  const imports = group.map(file => `await import(${JSON.stringify(pathToFileURL(path.resolve(file)).href)});\n`);
  writeFileSync(entry, [holdTests, ...imports, 'loaded.resolve();\n'].join(''));
  return entry;
}

function nameOf(file: string): string {
  return path.relative(process.cwd(), file);
}

function expected(group: readonly string[]): number {
  return group.reduce((sum, file) => sum + (lastSeconds[file] ?? Infinity), 0);
}

/** A guess at what takes long, where nothing has run yet. */
function sizeOf(group: readonly string[]): number {
  return group.reduce((sum, file) => sum + statSync(file).size, 0);
}
