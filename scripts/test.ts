/**
 * `npm test`: the whole gate. Builds the rig of real Kubernetes programs when they are missing, then runs each suite and prints one line of
 * totals at the end. Suites that need the rig are left out with a clear line where Go is missing, but never under CI=true.
 *
 * Many tests run real programs against deadlines, three files at once on two cores. A file that fails is run once more, alone, and the last lines say so:
 * what fails alone as well is broken, what does not is a test to mend.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasGo } from '../test/helpers/rig.ts';

interface Suite {
  name: string;
  /** Of a program of ours, or the files of tests and how many of them run at once. */
  args: string[] | { files: string[]; atOnce: number };
  needsRig: boolean;
}

interface Result {
  name: string;
  passed: boolean;
  seconds: number;
  /** Files that failed at first and passed alone. */
  shaky: string[];
}

/** More than this is no bad luck. */
const maxSecondTries = 4;

const rigPrograms = [
  'etcd',
  'kube-apiserver',
  'kubectl',
  'kubectl-1.32',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kwok',
  'helm',
  'karmadactl',
  'informer',
  'manager',
];
// A test that hangs fails, and what it leaves behind does not keep the run from ending.
const testRunner = ['--test', '--test-force-exit', '--test-timeout=300000'];
const failedFiles = path.join(tmpdir(), `drover-failed-files-${process.pid}`);
const reporters = [
  ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
  ...['--test-reporter=./scripts/failed-files-reporter.ts', `--test-reporter-destination=${failedFiles}`],
];
const suites: Suite[] = [
  { name: 'check', args: ['scripts/check.ts'], needsRig: false },
  { name: 'unit', args: { files: ['src/**/*.test.ts', 'test/**/*.test.ts'], atOnce: 3 }, needsRig: false },
  { name: 'faults', args: { files: ['test/faults/*.fault.ts'], atOnce: 1 }, needsRig: false },
  { name: 'kill', args: ['test/faults/kill-hub.ts', '--times', '50'], needsRig: false },
  { name: 'stories', args: { files: ['test/stories/*.story.ts'], atOnce: 3 }, needsRig: true },
  { name: 'conformance', args: ['test/conformance/run.ts', '--quiet'], needsRig: true },
  { name: 'random writes', args: ['test/conformance/run.ts', '--random', '100'], needsRig: true },
];

const isCi = process.env.CI === 'true';
const only = process.argv.slice(2);
const results: Result[] = [];
const hasRig = prepareRig();

for (const suite of suites) {
  if (only.length > 0 && !only.includes(suite.name)) continue;
  if (suite.needsRig && !hasRig) {
    console.log(`left out: ${suite.name} (Go is not installed, so there is no real Kubernetes to compare with)`);
    continue;
  }
  results.push(Array.isArray(suite.args) ? run(suite.name, suite.args) : runTests(suite.name, suite.args));
}

for (const { name, passed, seconds } of results) console.log(`${passed ? 'ok    ' : 'failed'} ${name} (${seconds.toFixed(0)} s)`);
for (const file of results.flatMap(({ shaky }) => shaky)) console.log(`shaky: ${file} failed, and passed when it ran alone`);
const failed = results.filter(r => !r.passed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function prepareRig(): boolean {
  if (!hasGo()) {
    if (isCi) throw new Error('Go is not installed; CI needs it to build the real Kubernetes that tests compare with');
    return false;
  }
  const { passed } = run('rig', ['scripts/build-rig.ts', '--only', rigPrograms.join(',')]);
  if (!passed) throw new Error('cannot build the rig of real Kubernetes programs');
  return true;
}

function runTests(name: string, { files, atOnce }: { files: string[]; atOnce: number }): Result {
  const first = run(name, [...testRunner, ...reporters, `--test-concurrency=${atOnce}`, ...files]);
  if (first.passed) return first;
  const failing = readFailedFiles();
  if (failing.length === 0 || failing.length > maxSecondTries) return first;
  const second = run(`${name}, once more: ${failing.join(' ')}`, [...testRunner, '--test-concurrency=1', ...failing]);
  return { name, passed: second.passed, seconds: first.seconds + second.seconds, shaky: second.passed ? failing : [] };
}

function readFailedFiles(): string[] {
  try {
    const files = readFileSync(failedFiles, 'utf8').split('\n').filter(Boolean);
    return files.map(file => path.relative(process.cwd(), file));
  } finally {
    rmSync(failedFiles, { force: true });
  }
}

function run(name: string, args: string[]): Result {
  console.log(`\n== ${name}`);
  const startedAt = Date.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  return { name, passed: status === 0, seconds: (Date.now() - startedAt) / 1000, shaky: [] };
}
