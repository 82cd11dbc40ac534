import fc from 'fast-check';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compareChart } from '../test/charts/compare-chart.ts';
import { HelmOracle, renderWithOurs } from '../test/charts/helm-oracle.ts';
import { randomQuestion, withoutAddresses } from '../test/charts/random-templates.ts';
import { answerOf, questionOf, type SnippetAnswer } from '../test/charts/snippet-chart.ts';
import { answerWithHelm, answerWithOurs, snippetTables, writeTable, type Snippet } from '../test/charts/snippet-tables.ts';
import { chartFolder, chartModules, downloadModule } from '../test/charts/go-module.ts';
import { missingRig } from '../test/helpers/rig.ts';
import { errorText } from '../src/util/error-text.ts';

const { values: options } = parseArgs({
  options: {
    focus: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
    /** Only these: charts, snippets, random. */
    only: { type: 'string', default: 'charts,snippets,random' },
    random: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Writes down what Helm makes of the snippets. */
    record: { type: 'boolean', default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const skipped = missingRig('helm', 'helm-oracle');
  if (skipped) {
    console.log(skipped);
    return 0;
  }
  const parts = options.only.split(',');
  let different = 0;
  if (parts.includes('snippets')) different += await compareSnippets();
  if (parts.includes('random')) different += await compareRandom(Number(options.random), Number(options.seed));
  if (parts.includes('charts')) different += await compareCharts();
  return different === 0 ? 0 : 1;
}

/** The tables of snippets, asked anew. */
async function compareSnippets(): Promise<number> {
  using oracle = new HelmOracle();
  let count = 0;
  let different = 0;
  for (const [name, snippets] of snippetTables()) {
    const answers: Snippet[] = [];
    for (const { template } of snippets) {
      const theirs = await answerWithHelm(oracle, template);
      answers.push({ template, ...theirs });
      different += tell(`snippet ${JSON.stringify(template)}`, theirs, answerWithOurs(template));
      count++;
    }
    if (options.record) writeTable(name, answers);
  }
  console.log(`${count} snippets: ${different} different`);
  return different;
}

/** Templates and values that nobody wrote. */
async function compareRandom(count: number, seed: number): Promise<number> {
  using oracle = new HelmOracle();
  let different = 0;
  for (const { template, values } of fc.sample(randomQuestion, { numRuns: count, seed })) {
    const question = questionOf(template, values);
    const what = `random ${JSON.stringify({ template, given: values['given'], other: values['other'] })}`;
    different += tell(what, answerOf(await oracle.ask(question)), answerOf(renderWithOurs(question)));
  }
  console.log(`${count} random templates (seed ${seed}): ${different} different`);
  return different;
}

function tell(what: string, theirs: SnippetAnswer, ours: SnippetAnswer): number {
  const [want, got] = [theirs, ours].map(answer => withoutAddresses(JSON.stringify(answer)));
  if (want === got) return 0;
  console.log(`DIFFERENT  ${what}\n    --- helm\n    ${want}\n    --- ours\n    ${got}`);
  return 1;
}

async function compareCharts(): Promise<number> {
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
      for (const { set, difference, isRefused } of await compareChart(chartFolder(path.join(dir, chart)))) {
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
  return different;
}
