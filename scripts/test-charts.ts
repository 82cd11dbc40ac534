import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compareChart } from '../test/charts/compare-chart.ts';
import { missingRig, repositoryRoot } from '../test/helpers/rig.ts';
import { errorText } from '../src/util/error-text.ts';

/** A Go module that carries charts, at the version whose charts are compared. */
interface ChartModule {
  readonly module: string;
  readonly version: string;
  readonly charts: readonly string[];
}

const { values: options } = parseArgs({
  options: { focus: { type: 'string', default: '' }, verbose: { type: 'boolean', default: false } },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const skipped = missingRig('helm');
  if (skipped) {
    console.log(skipped);
    return 0;
  }
  const file = path.join(repositoryRoot, 'test/charts/chart-modules.json');
  const modules = JSON.parse(readFileSync(file, 'utf8')) as ChartModule[];
  const focus = new RegExp(options.focus);
  const count = { charts: 0, same: 0, refused: 0, different: 0, leftOut: 0 };
  for (const { module, version, charts } of modules) {
    const chosen = charts.filter(chart => focus.test(`${module}/${chart}`));
    if (chosen.length === 0) continue;
    let dir: string;
    try {
      dir = downloadModule(module, version);
    } catch (error) {
      count.leftOut += chosen.length;
      console.log(`left out   ${module}@${version}: ${errorText(error)}`);
      continue;
    }
    for (const chart of chosen) {
      count.charts++;
      for (const { set, difference, isRefused } of await compareChart(path.join(dir, chart))) {
        if (difference === undefined) count[isRefused ? 'refused' : 'same']++;
        else count.different++;
        const word = difference === undefined ? (isRefused ? 'refused' : 'same') : 'DIFFERENT';
        if (options.verbose || difference !== undefined) console.log(`${word.padEnd(10)} ${module}/${chart} (${set})`);
        if (difference !== undefined) console.log(difference.replaceAll(/^/gm, '    '));
      }
    }
  }
  const { charts, same, refused, different, leftOut } = count;
  console.log(
    `${charts} charts: ${same} renderings the same, ${refused} refused in the same words, ${different} different; ${leftOut} charts left out`,
  );
  return different === 0 ? 0 : 1;
}

/** The folder of a module in Go's cache, downloaded when it is not there yet. */
function downloadModule(module: string, version: string): string {
  const { stdout, error } = spawnSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    cwd: tmpdir(),
    encoding: 'utf8',
    env: { ...process.env, GOFLAGS: '-mod=mod' },
    timeout: 300_000,
  });
  if (error) throw new Error('cannot run go', { cause: error });
  const answer = JSON.parse(stdout) as { Dir?: string; Error?: string };
  if (answer.Dir === undefined) throw new Error(answer.Error?.split('\n').at(-1)?.trim() ?? 'Go gave no folder');
  return answer.Dir;
}
