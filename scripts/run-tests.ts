/**
 * Runs files of tests: `scripts/run-tests.ts AT_ONCE GLOB…`. Those that took longest the last time on this machine begin first, so that none is
 * left over at the end. Many tests run real programs against deadlines, several files at once on few cores: a file that fails is run once more,
 * alone. What fails alone as well is broken; what does not is named `shaky`, a test to mend.
 */
import { globSync } from 'node:fs';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { readCached, writeCached } from './machine-cache.ts';

/** More than this is no bad luck. */
const maxSecondTries = 4;
/** A test that hangs fails. */
const timeout = 300_000;

const [atOnce = '1', ...globs] = process.argv.slice(2);
const preload = new URL('test-process.js', import.meta.url).href;
const cacheName = 'test-seconds.json';
const lastSeconds = readCached<Record<string, number>>(cacheName, {});

const files = globSync(globs).toSorted((a, b) => expected(b) - expected(a) || (a < b ? -1 : 1));
const failed = await runFiles(files, Number(atOnce));
writeCached(cacheName, lastSeconds);
if (failed.length > 0 && failed.length <= maxSecondTries) {
  console.log(`\n== once more, alone: ${failed.join(' ')}`);
  const again = await runFiles(failed, 1);
  for (const file of failed) if (!again.includes(file)) console.log(`shaky: ${file} failed, and passed when it ran alone`);
  process.exit(again.length === 0 ? 0 : 1);
}
// What a test left behind does not keep the run from ending.
process.exit(failed.length === 0 ? 0 : 1);

/** The files that did not say at their end that all their tests passed. */
async function runFiles(some: readonly string[], concurrency: number): Promise<string[]> {
  const passed = new Set<string>();
  const events = run({
    files: some.map(file => path.resolve(file)),
    concurrency,
    timeout,
    forceExit: false,
    execArgv: ['--test-force-exit', '--import', preload],
  });
  events.on('test:summary', ({ file, success, duration_ms }) => {
    // One for each file, and one for all of them.
    if (file === undefined) return;
    const name = path.relative(process.cwd(), file);
    lastSeconds[name] = Math.round(duration_ms / 100) / 10;
    if (success) passed.add(name);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text as string);
  return some.filter(file => !passed.has(path.relative(process.cwd(), path.resolve(file))));
}

function expected(file: string): number {
  return lastSeconds[file] ?? Infinity;
}
