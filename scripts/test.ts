/**
 * `npm test`: the whole gate. Builds the rig of real Kubernetes programs when they are missing, then runs each suite and prints one line of
 * totals at the end. Suites that need the rig are left out with a clear line where Go is missing, but never under CI=true.
 */
import { spawnSync } from 'node:child_process';
import { hasGo } from '../test/helpers/rig.ts';

interface Suite {
  name: string;
  args: string[];
  needsRig: boolean;
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
// A test that hangs fails, and what it leaves behind does not keep the run from ending.
const testRunner = ['--test', '--test-force-exit', '--test-timeout=300000'];
const suites: Suite[] = [
  { name: 'check', args: ['scripts/check.ts'], needsRig: false },
  { name: 'unit', args: [...testRunner, '--test-concurrency=3', 'src/**/*.test.ts', 'test/**/*.test.ts'], needsRig: false },
  { name: 'faults', args: [...testRunner, '--test-concurrency=1', 'test/faults/*.fault.ts'], needsRig: false },
  { name: 'kill', args: ['test/faults/kill-hub.ts', '--times', '50'], needsRig: false },
  { name: 'stories', args: [...testRunner, '--test-concurrency=3', 'test/stories/*.story.ts'], needsRig: true },
  { name: 'conformance', args: ['test/conformance/run.ts', '--quiet'], needsRig: true },
  { name: 'random writes', args: ['test/conformance/run.ts', '--random', '100'], needsRig: true },
];

const isCi = process.env.CI === 'true';
const only = process.argv.slice(2);
const results: { name: string; passed: boolean; seconds: number }[] = [];
const hasRig = prepareRig();

for (const suite of suites) {
  if (only.length > 0 && !only.includes(suite.name)) continue;
  if (suite.needsRig && !hasRig) {
    console.log(`left out: ${suite.name} (Go is not installed, so there is no real Kubernetes to compare with)`);
    continue;
  }
  results.push(run(suite.name, suite.args));
}

for (const { name, passed, seconds } of results) console.log(`${passed ? 'ok    ' : 'failed'} ${name} (${seconds.toFixed(0)} s)`);
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

function run(name: string, args: string[]): { name: string; passed: boolean; seconds: number } {
  console.log(`\n== ${name}`);
  const startedAt = Date.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  return { name, passed: status === 0, seconds: (Date.now() - startedAt) / 1000 };
}
