import path from 'node:path';
import { parseArgs } from 'node:util';
import { compareChart } from '../test/charts/compare-chart.ts';
import { chartModules, downloadModule } from '../test/charts/go-module.ts';
import { missingRig } from '../test/helpers/rig.ts';
import { errorText } from '../src/util/error-text.ts';

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
  const focus = new RegExp(options.focus);
  const count = { charts: 0, same: 0, refused: 0, different: 0, leftOut: 0 };
  for (const { module, version, charts } of chartModules()) {
    const chosen = charts.filter(chart => focus.test(`${module}/${chart}`));
    if (chosen.length === 0) continue;
    let dir: string;
    try {
      dir = downloadModule({ module, version });
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
