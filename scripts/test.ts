/**
 * `npm test`: the whole gate. Builds the rig of real Kubernetes programs when they are missing, then runs each suite and prints one line of
 * totals at the end. Suites that need the rig are left out with a clear line where Go is missing, but never under CI=true.
 *
 * Two suites run side by side, for most of them wait more than they compute, and each runs more files at once while the processors have nothing to do.
 * The stories are shown as they go, the others when they are done.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installMissing } from '../test/helpers/debian-packages.ts';
import { hasGo } from '../test/helpers/rig.ts';
import { buildProgram } from './build-program.ts';
import { cachePath } from './machine-cache.ts';

interface Suite {
  name: string;
  args: string[];
  needsRig: boolean;
  /** What it is about is what became of files: they lie where those of people do. */
  needsDisk?: boolean;
}

interface Result {
  name: string;
  passed: boolean;
  seconds: number;
}

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
const runTests = 'scripts/run-tests.ts';
const enoughMemory = 6 * 2 ** 30;
const shown: Suite[] = [{ name: 'stories', args: [runTests, '3', 'test/stories/*.story.ts'], needsRig: true }];
const beside: Suite[] = [
  { name: 'check', args: ['scripts/check.ts'], needsRig: false },
  { name: 'faults', args: [runTests, '1', 'test/faults/*.fault.ts'], needsRig: false, needsDisk: true },
  { name: 'kill', args: ['test/faults/kill-hub.ts', '--times', '25'], needsRig: false, needsDisk: true },
  { name: 'conformance', args: ['test/conformance/run.ts', '--quiet'], needsRig: true },
  { name: 'random writes', args: ['test/conformance/run.ts', '--random', '100'], needsRig: true },
  // Last: of these it alone makes use of two cores, which it has to itself when the stories are over.
  { name: 'unit', args: [runTests, '3', '--shared', 'src/**/*.test.ts', 'test/**/*.test.ts'], needsRig: false },
];
/** Programs of tests live for seconds: they are put together and compiled once for all of them, and those in Go leave memory alone for longer. */
const thrift = { NODE_COMPILE_CACHE: cachePath('compiled'), GOGC: '400', DROVER_PROGRAM: await buildProgram() };
/** Where `tempDir` makes its folders: hubs and etcds would wait for the disk and keep the kernel busy with it, and what they write is thrown away. */
const scratch = memoryFolder();

const isCi = process.env.CI === 'true';
const only = process.argv.slice(2);
const hasRig = await prepareRig();
// Before stories that need them wait for each other, and for less than they would beside other stories.
if (isCi && process.getuid?.() === 0) installMissing('containers', 'browser', 'shells', 'tools');
const results = (await Promise.all([runInTurn(shown, { isShown: true }), runInTurn(beside, { isShown: false })])).flat();

for (const { name, passed, seconds } of results) console.log(`${passed ? 'ok    ' : 'failed'} ${name} (${seconds.toFixed(0)} s)`);
if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
const failed = results.filter(r => !r.passed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function prepareRig(): Promise<boolean> {
  if (!hasGo()) {
    if (isCi) throw new Error('Go is not installed; CI needs it to build the real Kubernetes that tests compare with');
    return false;
  }
  const { passed } = await run('rig', ['scripts/build-rig.ts', '--only', rigPrograms.join(',')], { isShown: true });
  if (!passed) throw new Error('cannot build the rig of real Kubernetes programs');
  return true;
}

async function runInTurn(suites: readonly Suite[], { isShown }: { isShown: boolean }): Promise<Result[]> {
  const done: Result[] = [];
  for (const { name, args, needsRig, needsDisk = false } of suites) {
    if (only.length > 0 && !only.includes(name)) continue;
    if (needsRig && !hasRig) console.log(`left out: ${name} (Go is not installed, so there is no real Kubernetes to compare with)`);
    else done.push(await run(name, args, { isShown: isShown || only.length === 1, needsDisk }));
  }
  return done;
}

async function run(
  name: string,
  args: string[],
  { isShown, needsDisk = true }: { isShown: boolean; needsDisk?: boolean },
): Promise<Result> {
  if (isShown) console.log(`\n== ${name}`);
  const startedAt = Date.now();
  // A file, not a pipe: what a test left behind would keep that open.
  const file = path.join(tmpdir(), `drover-test-${process.pid}-${name.replaceAll(' ', '-')}.log`);
  const output = isShown ? 'inherit' : openSync(file, 'w');
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', output, output],
    env: { ...thrift, ...process.env, DROVER_GATE: 'true', ...(scratch !== undefined && !needsDisk && { DROVER_SCRATCH: scratch }) },
  });
  const code = await new Promise(resolve => child.once('exit', resolve).once('error', resolve));
  const seconds = (Date.now() - startedAt) / 1000;
  if (!isShown) {
    process.stdout.write(`\n== ${name} (${seconds.toFixed(0)} s)\n${readFileSync(file, 'utf8')}`);
    rmSync(file);
  }
  return { name, passed: code === 0, seconds };
}

/** A folder that is kept in memory, where there is enough of it and programs may lie in it. */
function memoryFolder(): string | undefined {
  const mounted = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '';
  const [, options] = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(mounted) ?? [];
  if (options === undefined || /\b(ro|noexec)\b/.test(options)) return undefined;
  const { bavail, bsize } = statfsSync('/dev/shm');
  return bavail * bsize < enoughMemory ? undefined : mkdtempSync('/dev/shm/drover-');
}
