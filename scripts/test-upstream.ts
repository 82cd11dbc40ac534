import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { HttpTarget } from '../test/helpers/http-target.ts';
import { startControlledHub } from '../test/helpers/controlled-hub.ts';
import { startKwok } from '../test/helpers/kwok.ts';
import { Program } from '../test/helpers/program.ts';
import { startControllerManager, startEtcd, startRealApiServer, startScheduler } from '../test/helpers/real-cluster.ts';
import { missingRig, repositoryRoot, rigProgramPath } from '../test/helpers/rig.ts';
import { listUpstreamTests, readLeftOut, readReport, type TestResult } from '../test/upstream/upstream-tests.ts';
import { readyNode } from '../test/upstream/ready-node.ts';

const { values: options } = parseArgs({
  options: {
    focus: { type: 'string', default: '' },
    skip: { type: 'string' },
    real: { type: 'boolean', default: false },
    // With --real: only the controllers that the hub has, and nodes that run nothing, to see which tests need more than an API server.
    'like-hub': { type: 'boolean', default: false },
    kubeconfig: { type: 'string' },
    jobs: { type: 'string', default: '3' },
    all: { type: 'boolean', default: false },
    out: { type: 'string' },
    list: { type: 'boolean', default: false },
    'test-timeout': { type: 'string', default: '90m' },
  },
});

const hubControllers = [
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'clusterrole-aggregation-controller',
];
const artifacts = path.resolve(repositoryRoot, options.out ?? (options.real ? '.artifacts/upstream-real' : '.artifacts/upstream-hub'));
process.exitCode = await main();

async function main(): Promise<number> {
  const needed = options.real
    ? ['e2e.test', 'kubectl', 'etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok']
    : ['e2e.test', 'kubectl'];
  const skipped = missingRig(...needed);
  if (skipped) {
    console.log(skipped);
    return 0;
  }
  const focus = new RegExp(options.focus);
  const leftOut = new Map(readLeftOut().map(({ test, reason }) => [test, reason]));
  const listed = listUpstreamTests(rigProgramPath('e2e.test'));
  for (const test of leftOut.keys()) if (!listed.includes(test)) throw new Error(`left-out.txt names an unknown test: "${test}"`);
  const skip = options.skip === undefined ? undefined : new RegExp(options.skip);
  const known = listed.filter(test => focus.test(test) && !skip?.test(test));
  const isLeftOut = (test: string): boolean => leftOut.has(test) && !options.real && !options.all;
  const chosen = known.filter(test => !isLeftOut(test));
  if (options.list) {
    for (const test of known) console.log(isLeftOut(test) ? `left out ${test}: ${leftOut.get(test)}` : test);
    return 0;
  }

  await using stack = new AsyncDisposableStack();
  const kubeconfig = options.kubeconfig ?? (options.real ? await openReal(stack) : await openHub(stack));
  rmSync(artifacts, { recursive: true, force: true });
  mkdirSync(artifacts, { recursive: true });
  return report(await runTests(chosen, kubeconfig), chosen, known.filter(isLeftOut));
}

/** Serial tests run alone, the others in several processes of the suite side by side. */
async function runTests(tests: readonly string[], kubeconfig: string): Promise<TestResult[]> {
  const parallel = tests.filter(test => !test.includes('[Serial]'));
  const jobs = Math.max(1, Number(options.jobs));
  const shards = Array.from({ length: jobs }, (_, i) => parallel.filter((_, at) => at % jobs === i)).filter(shard => shard.length > 0);
  const results = (await Promise.all(shards.map((shard, i) => runShard(`shard-${i}`, shard, kubeconfig)))).flat();
  const serial = tests.filter(test => test.includes('[Serial]'));
  return serial.length === 0 ? results : [...results, ...(await runShard('serial', serial, kubeconfig))];
}

async function runShard(name: string, tests: readonly string[], kubeconfig: string): Promise<TestResult[]> {
  const file = path.join(artifacts, `${name}.json`);
  const program = new Program({
    name: `e2e.test ${name}`,
    command: rigProgramPath('e2e.test'),
    logFile: path.join(artifacts, `${name}.log`),
    args: [
      '--provider=skeleton',
      `--kubeconfig=${kubeconfig}`,
      `--kubectl-path=${rigProgramPath('kubectl')}`,
      '--allowed-not-ready-nodes=-1',
      '--minStartupPods=0',
      '--disable-log-dump',
      '--dump-logs-on-failure=false',
      '--ginkgo.no-color',
      `--ginkgo.timeout=${options['test-timeout']}`,
      `--ginkgo.json-report=${file}`,
      `--ginkgo.focus=(${tests.map(test => test.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`,
    ],
  });
  await program.exited;
  try {
    return readReport(file);
  } catch (cause) {
    throw new Error(`e2e.test left no report; ${program.logTail()}`, { cause });
  }
}

function report(results: readonly TestResult[], chosen: readonly string[], leftOut: readonly string[]): number {
  const failed = results.filter(r => r.state === 'failed');
  const ran = new Set(results.map(r => r.test));
  const missing = chosen.filter(test => !ran.has(test));
  for (const { test, seconds, message } of failed)
    console.log(`FAIL (${seconds} s) ${test}\n    ${message.split('\n').slice(0, 6).join('\n    ')}`);
  for (const test of missing) console.log(`NOT RUN ${test}`);
  writeFileSync(path.join(artifacts, 'failed.txt'), failed.map(r => r.test + '\n').join(''));
  console.log(`${results.length - failed.length} passed, ${failed.length + missing.length} failed, ${leftOut.length} left out`);
  return failed.length + missing.length === 0 ? 0 : 1;
}

async function openReal(stack: AsyncDisposableStack): Promise<string> {
  const etcd = stack.use(await startEtcd());
  const cluster = stack.use(await startRealApiServer({ etcd }));
  if (options['like-hub']) {
    await startControllerManager(cluster, { controllers: hubControllers });
    await addReadyNodes(cluster.target);
    return cluster.kubeconfig;
  }
  await startControllerManager(cluster);
  await startScheduler(cluster);
  cluster.attached.use(await startKwok({ kubeconfig: cluster.kubeconfig, target: cluster.target, dir: cluster.dir, nodes: 3 }));
  return cluster.kubeconfig;
}

async function openHub(stack: AsyncDisposableStack): Promise<string> {
  return stack.use(await startControlledHub({ nodes: 3 })).kubeconfig;
}

async function addReadyNodes(target: HttpTarget): Promise<void> {
  for (const name of ['node-0', 'node-1', 'node-2']) {
    const made = await target.request('POST', '/api/v1/nodes', readyNode(name));
    if (made.code !== 201 && made.code !== 409) throw new Error(`cannot create node "${name}": ${made.text}`);
    await target.request('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: null } }, { 'Content-Type': 'application/merge-patch+json' });
  }
}
