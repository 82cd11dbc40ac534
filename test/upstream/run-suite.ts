import path from 'node:path';
import { Program } from '../helpers/program.ts';
import { rigProgramPath } from '../helpers/rig.ts';
import { readReport, type TestResult } from './upstream-tests.ts';

export interface SuiteOptions {
  readonly kubeconfig: string;
  /** Where logs and reports are written. */
  readonly artifacts: string;
  /** How many processes of the suite run side by side. */
  readonly jobs: number;
  /** Of the whole run, in Go's form. */
  readonly timeout: string;
}

/** Runs tests of the suite against a cluster. Serial tests run alone, the others in several processes side by side. */
export async function runSuite(tests: readonly string[], options: SuiteOptions): Promise<TestResult[]> {
  const parallel = tests.filter(test => !test.includes('[Serial]'));
  const jobs = Math.max(1, options.jobs);
  const shards = Array.from({ length: jobs }, (_, i) => parallel.filter((_, at) => at % jobs === i)).filter(shard => shard.length > 0);
  const results = (await Promise.all(shards.map((shard, i) => runShard(`shard-${i}`, shard, options)))).flat();
  const serial = tests.filter(test => test.includes('[Serial]'));
  return serial.length === 0 ? results : [...results, ...(await runShard('serial', serial, options))];
}

async function runShard(name: string, tests: readonly string[], { kubeconfig, artifacts, timeout }: SuiteOptions): Promise<TestResult[]> {
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
      `--ginkgo.timeout=${timeout}`,
      `--ginkgo.json-report=${file}`,
      `--ginkgo.focus=(${tests.map(test => test.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`,
    ],
  });
  await program.exited;
  let results: TestResult[];
  try {
    results = readReport(file);
  } catch (cause) {
    throw new Error(`e2e.test left no report; ${program.logTail()}`, { cause });
  }
  // The suite refuses to start on a cluster that it does not like, and says so in its log only.
  if (results.length === 0) throw new Error(`e2e.test ran none of ${tests.length} tests; ${program.logTail()}`);
  return results;
}
