import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { certificateRequest } from '../helpers/certificates.ts';
import { HttpTarget, readKubeconfig } from '../helpers/http-target.ts';
import { startHub } from '../helpers/hub.ts';
import { hubControllers, startControllerManager, startEtcd, startRealApiServer, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';
import { areas } from './all-cases.ts';
import type { Case } from './case.ts';
import { compareOutcomes, type StepDifference } from './compare.ts';
import { knownDifferences } from './known-differences.ts';
import { runRandomWrites } from './random-writes.ts';
import { runCase, type Side } from './run-case.ts';
import { WebhookServer } from './webhook-server.ts';

const { values: options } = parseArgs({
  options: {
    focus: { type: 'string', default: '' },
    skip: { type: 'string' },
    against: { type: 'string', default: 'hub' },
    reference: { type: 'string' },
    tested: { type: 'string' },
    jobs: { type: 'string', default: '4' },
    random: { type: 'string' },
    seed: { type: 'string' },
    list: { type: 'boolean', default: false },
    out: { type: 'string', default: '.artifacts/conformance' },
    quiet: { type: 'boolean', default: false },
  },
});

const referenceControllers = [...hubControllers, 'resourcequota-controller'];

interface NamedCase extends Case {
  readonly area: string;
}

interface Result {
  readonly testCase: NamedCase;
  readonly differences: readonly StepDifference[];
}

const artifacts = path.resolve(repositoryRoot, options.out);
const runId = randomBytes(2).toString('hex');
const signingRequest = await certificateRequest('tester', ['testers']);
const chosen = chooseCases();
if (options.list) for (const { area, name } of chosen) console.log(`${area}: ${name}`);
else process.exitCode = await main();

async function main(): Promise<number> {
  const skipped = options.reference && options.tested ? undefined : missingRig('etcd', 'kube-apiserver', 'kube-controller-manager');
  if (skipped) {
    console.log(skipped);
    return 0;
  }
  await using stack = new AsyncDisposableStack();
  const etcd = options.reference && options.tested ? undefined : stack.use(await startEtcd());
  const reference: Side = { name: 'reference', target: await openReal(stack, etcd, options.reference) };
  const tested: Side = {
    name: 'tested',
    target: options.against === 'real-only' ? await openReal(stack, etcd, options.tested) : await openHub(stack, options.tested),
  };
  if (options.random !== undefined)
    return await runRandomWrites({ reference: reference.target, tested: tested.target, runs: Number(options.random), seed: options.seed });

  const webhooks = stack.use(await WebhookServer.start());
  rmSync(artifacts, { recursive: true, force: true });
  const results = await runAll(testCase => judge(testCase, reference, tested, webhooks));
  return report(await askAgain(results, testCase => judge(testCase, reference, tested, webhooks, 'r')));
}

function chooseCases(): NamedCase[] {
  const focus = new RegExp(options.focus, 'i');
  const skip = options.skip === undefined ? undefined : new RegExp(options.skip, 'i');
  const all = Object.entries(areas).flatMap(([area, cases]) => cases.map(testCase => ({ ...testCase, area })));
  const seen = new Set<string>();
  for (const { area, name } of all) {
    if (seen.has(`${area}: ${name}`)) throw new Error(`two cases are called "${area}: ${name}"`);
    seen.add(`${area}: ${name}`);
  }
  return all.filter(({ area, name }) => focus.test(`${area}: ${name}`) && !skip?.test(`${area}: ${name}`));
}

async function runAll(run: (testCase: NamedCase) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const queue = chosen.filter(c => !c.alone);
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) results.push(await run(next));
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, worker));
  for (const testCase of chosen.filter(c => c.alone)) results.push(await run(testCase));
  return results;
}

/**
 * Cases race with the controllers of both servers. What fails in the crowd is asked once more, alone; only what differs again is a difference.
 */
async function askAgain(results: readonly Result[], run: (testCase: NamedCase) => Promise<Result>): Promise<Result[]> {
  const final: Result[] = [];
  for (const result of results) final.push(result.differences.length === 0 ? result : await run(result.testCase));
  return final;
}

async function judge(testCase: NamedCase, reference: Side, tested: Side, webhooks: WebhookServer, attempt = ''): Promise<Result> {
  const fullName = `${testCase.area}: ${testCase.name}`;
  const id = `c${createHash('sha256').update(fullName).digest('hex').slice(0, 7)}${runId}${attempt}`;
  const [expected, actual] = await Promise.allSettled([
    runCase(testCase, { id, side: reference, webhooks, signingRequest }),
    runCase(testCase, { id, side: tested, webhooks, signingRequest }),
  ]);
  const differences: StepDifference[] = [];
  if (expected.status === 'rejected') differences.push({ title: 'the reference failed', text: messageOf(expected.reason) });
  if (actual.status === 'rejected') differences.push({ title: 'the tested server failed', text: messageOf(actual.reason) });
  if (expected.status === 'fulfilled' && actual.status === 'fulfilled') differences.push(...compareOutcomes(expected.value, actual.value));
  if (differences.length > 0) show(testCase, differences);
  return { testCase, differences };
}

function show(testCase: NamedCase, differences: readonly StepDifference[]): void {
  const text = differences.map(d => `  ${d.title}\n${d.text.replace(/^/gm, '    ')}`).join('\n');
  const dir = path.join(artifacts, testCase.area);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, `${testCase.name.replace(/[^\w]+/g, '-').slice(0, 100)}.txt`), `${testCase.name}\n${text}\n`);
  console.log(options.quiet ? `FAIL ${testCase.area}: ${testCase.name}` : `FAIL ${testCase.area}: ${testCase.name}\n${text}`);
}

function report(results: readonly Result[]): number {
  for (const [area, ofArea] of Map.groupBy(results, r => r.testCase.area)) {
    const failed = ofArea.filter(r => r.differences.length > 0).length;
    console.log(`${area.padEnd(24)} ${String(ofArea.length - failed).padStart(4)} passed ${String(failed).padStart(4)} failed`);
  }
  const differing = results.filter(r => r.differences.length > 0);
  const known = differing.filter(({ testCase }) => `${testCase.area}: ${testCase.name}` in knownDifferences);
  for (const { testCase } of known)
    console.log(`known difference: ${testCase.area}: ${testCase.name}: ${knownDifferences[`${testCase.area}: ${testCase.name}`]}`);
  const failed = differing.length - known.length;
  console.log(`${results.length - differing.length} passed, ${failed} failed, ${known.length} skipped`);
  if (failed > 0) console.log(`differences are in ${path.relative(process.cwd(), artifacts)}`);
  return failed === 0 ? 0 : 1;
}

async function openReal(stack: AsyncDisposableStack, etcd: Etcd | undefined, kubeconfig: string | undefined): Promise<HttpTarget> {
  if (kubeconfig || !etcd) return new HttpTarget(readKubeconfig(kubeconfig ?? ''));
  const cluster = stack.use(await startRealApiServer({ etcd }));
  await startControllerManager(cluster, { controllers: referenceControllers });
  return cluster.target;
}

async function openHub(stack: AsyncDisposableStack, kubeconfig: string | undefined): Promise<HttpTarget> {
  if (kubeconfig) return new HttpTarget(readKubeconfig(kubeconfig));
  return stack.use(await startHub({ extraArgs: ['--api-only'] })).target;
}

function messageOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  return reason.cause instanceof Error ? `${reason.message}: ${reason.cause.message}` : reason.message;
}
