import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startControlledHub } from '../test/helpers/controlled-hub.ts';
import { missingRig, repositoryRoot, rigProgramPath } from '../test/helpers/rig.ts';
import { compareSides, isFault, printRows } from '../test/upstream/compare-sides.ts';
import { openRealCluster, openRealLikeHub, realClusterPrograms } from '../test/upstream/open-cluster.ts';
import { openSandbox } from '../test/upstream/open-sandbox.ts';
import { readRecorded, recordResults } from '../test/upstream/recorded-results.ts';
import { runSuite } from '../test/upstream/run-suite.ts';
import {
  apiServerParts,
  controllerParts,
  listUpstreamTests,
  readLeftOut,
  type LeftOutFile,
  type TestResult,
} from '../test/upstream/upstream-tests.ts';

const { values: options } = parseArgs({
  options: {
    focus: { type: 'string', default: '' },
    skip: { type: 'string' },
    real: { type: 'boolean', default: false },
    // With --real: only the controllers that the hub has, and nodes that run nothing, to see which tests need more than an API server.
    'like-hub': { type: 'boolean', default: false },
    // A sandbox cluster, beside what a real cluster with kwok said when it was last asked.
    sandbox: { type: 'boolean', default: false },
    // With --sandbox: ask the real cluster again, and keep what it says. With --all also about what is left out.
    both: { type: 'boolean', default: false },
    // With --sandbox: ask only the real cluster, and keep what it says.
    'record-real': { type: 'boolean', default: false },
    // Which special interest groups' tests, with commas.
    parts: { type: 'string' },
    // Tests of these groups that are not part of conformance.
    beyond: { type: 'boolean', default: false },
    kubeconfig: { type: 'string' },
    jobs: { type: 'string', default: '3' },
    all: { type: 'boolean', default: false },
    out: { type: 'string' },
    list: { type: 'boolean', default: false },
    'test-timeout': { type: 'string', default: '90m' },
  },
});

type Side = 'hub' | 'real' | 'sandbox';

process.exitCode = await main();

async function main(): Promise<number> {
  const asksReal = options.real || options.both || options['record-real'];
  const skipped = missingRig('e2e.test', 'kubectl', ...(asksReal ? realClusterPrograms : []));
  if (skipped) {
    console.log(skipped);
    return 0;
  }
  const parts = options.parts?.split(',') ?? (options.sandbox ? controllerParts : apiServerParts);
  const listed = listUpstreamTests(rigProgramPath('e2e.test'), parts, { isBeyond: options.beyond });
  // What needs a running container needs one in a sandbox too.
  const leftOut = new Map([
    ...leftOutOf(options.beyond ? 'left-out-beyond.txt' : 'left-out.txt', parts, listed),
    ...(options.sandbox ? leftOutOf('left-out-sandbox.txt', parts, listed) : []),
  ]);
  const focus = new RegExp(options.focus);
  const skip = options.skip === undefined ? undefined : new RegExp(options.skip);
  const known = listed.filter(test => focus.test(test) && !skip?.test(test));
  const isLeftOut = (test: string): boolean => leftOut.has(test) && !options.real && !options.all;
  const chosen = known.filter(test => !isLeftOut(test));
  if (options.list) {
    for (const test of known) console.log(isLeftOut(test) ? `left out ${test}: ${leftOut.get(test)}` : test);
    return 0;
  }
  if (options.sandbox) return compareWithReal(known, chosen, leftOut);
  return report(await run(options.real ? 'real' : 'hub', chosen), chosen, known.filter(isLeftOut));
}

function leftOutOf(file: LeftOutFile, parts: readonly string[], listed: readonly string[]): Map<string, string> {
  const isOfParts = (test: string) => parts.some(part => test.startsWith(`[sig-${part}]`));
  const entries = readLeftOut(file).filter(({ test }) => isOfParts(test));
  for (const { test } of entries) if (!listed.includes(test)) throw new Error(`${file} names an unknown test: "${test}"`);
  return new Map(entries.map(({ test, reason }) => [test, reason]));
}

async function compareWithReal(known: readonly string[], chosen: readonly string[], leftOut: ReadonlyMap<string, string>): Promise<number> {
  const real = options.both || options['record-real'] ? recordResults(await run('real', chosen)) : readRecorded();
  if (options['record-real']) return 0;
  const results = await run('sandbox', chosen);
  const sandbox = new Map(results.map(result => [result.test, result]));
  for (const result of results) if (result.state === 'failed') printFailure(result);
  const rows = compareSides({ tests: known, real, sandbox, leftOut });
  console.log(printRows(rows));
  return rows.some(isFault) ? 1 : 0;
}

async function run(side: Side, tests: readonly string[]): Promise<TestResult[]> {
  const artifacts = artifactsOf(side);
  await using stack = new AsyncDisposableStack();
  const kubeconfig = options.kubeconfig ?? (await open(side, stack));
  rmSync(artifacts, { recursive: true, force: true });
  mkdirSync(artifacts, { recursive: true });
  return await runSuite(tests, { kubeconfig, artifacts, jobs: Number(options.jobs), timeout: options['test-timeout'] });
}

function artifactsOf(side: Side): string {
  return path.resolve(repositoryRoot, options.out ?? `.artifacts/upstream-${side}`);
}

async function open(side: Side, stack: AsyncDisposableStack): Promise<string> {
  if (side === 'sandbox') return openSandbox(stack);
  if (side === 'hub') return stack.use(await startControlledHub({ nodes: 3 })).kubeconfig;
  return options['like-hub'] ? openRealLikeHub(stack) : openRealCluster(stack);
}

function report(results: readonly TestResult[], chosen: readonly string[], leftOut: readonly string[]): number {
  const failed = results.filter(r => r.state === 'failed');
  const ran = new Set(results.map(r => r.test));
  const missing = chosen.filter(test => !ran.has(test));
  for (const result of failed) printFailure(result);
  for (const test of missing) console.log(`NOT RUN ${test}`);
  writeFileSync(path.join(artifactsOf(options.real ? 'real' : 'hub'), 'failed.txt'), failed.map(r => r.test + '\n').join(''));
  console.log(`${results.length - failed.length} passed, ${failed.length + missing.length} failed, ${leftOut.length} left out`);
  return failed.length + missing.length === 0 ? 0 : 1;
}

function printFailure({ test, seconds, message }: TestResult): void {
  console.log(`FAIL (${seconds} s) ${test}\n    ${message.split('\n').slice(0, 6).join('\n    ')}`);
}
