import { readFileSync, statSync } from 'node:fs';
import { Option, type Command } from 'commander';
import type { KubeClient } from '../../client/kube-client.ts';
import { ChartTakenError, deleteChart, listStoredCharts, pushChart } from '../../core/contents/stored-charts.ts';
import { readChartFolder } from '../../render/chart/read-chart-folder.ts';
import { newestFirst } from '../../sources/choose-version.ts';
import { inspectChart, type FetchedChart } from '../../sources/inspect-chart.ts';
import { packChart } from '../../sources/pack-chart.ts';
import { endUnchanged, errorUnchangedOption, type UnchangedOptions } from '../error-unchanged.ts';
import { dryRunMark, type DryRun } from '../dry-run.ts';
import { CommandError } from '../exit-codes.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { Terminal } from '../terminal.ts';

interface ChangeOptions extends HubOptions, UnchangedOptions {
  dryRun: DryRun;
}

interface ListOptions extends HubOptions {
  output?: 'json';
}

export function defineChart(command: Command, terminal: Terminal): void {
  command.addHelpText(
    'after',
    '\nWorks name charts of the store with "repository: hub". Helm reads it as a repository at https://HUB/charts, with a token of the hub as the password.',
  );
  addHubOptions(command.command('push').description('put a chart into the store'))
    .argument('<charts...>', 'folders or archives of charts')
    .addOption(clientOnly())
    .addOption(errorUnchangedOption())
    .action((paths: string[], options: ChangeOptions) => push(paths, options, terminal));
  addHubOptions(command.command('list').description('show the charts of the store'))
    .argument('[name]', 'only those of this name')
    .option('-o, --output <form>', 'json')
    .action((name: string | undefined, options: ListOptions) => list(name, options, terminal));
  addHubOptions(command.command('delete').description('take a chart out of the store; what runs of it goes on'))
    .argument('<name>', 'name of the chart')
    .argument('<version>', 'which version')
    .addOption(clientOnly())
    .action((name: string, version: string, options: ChangeOptions) => remove(name, version, options, terminal));
}

/** A chart takes several writes, of which only the first could be tried. */
const clientOnly = (): Option =>
  new Option('--dry-run [where]', 'change nothing').choices(['none', 'client']).preset('client').default('none');

const whatIsPushed = 'name the folder of a chart, with its Chart.yaml, or what "helm package" made of it';

/** All of them are read before the first is pushed. */
async function push(paths: readonly string[], options: ChangeOptions, terminal: Terminal): Promise<void> {
  const charts = paths.map(readChart);
  await using hub = await connectToHub(options, terminal);
  const pushed: boolean[] = [];
  for (const chart of charts) pushed.push(await pushOne(hub.client, chart, options.dryRun, terminal));
  if (!pushed.includes(true)) endUnchanged(options);
}

/** False when the hub has it already. */
async function pushOne(hub: KubeClient, chart: FetchedChart, dryRun: DryRun, { signal, out }: Terminal): Promise<boolean> {
  const { name, version, digest } = chart;
  if (dryRun !== 'none') {
    out(`chart "${name}" ${version} pushed (${digest})${dryRunMark(dryRun)}\n`);
    return true;
  }
  const isNew = await pushChart(hub, chart, { signal }).catch((cause: unknown) => {
    if (!(cause instanceof ChartTakenError)) throw new CommandError(`cannot push chart "${name}" ${version}`, { cause });
    const hint = `give it another version, or take the old one out: drover chart delete ${name} ${version}`;
    throw new CommandError(cause.message, { hint });
  });
  out(`chart "${name}" ${version} ${isNew ? 'pushed' : 'unchanged'} (${digest})\n`);
  return isNew;
}

function readChart(path: string): FetchedChart {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found)
    throw new CommandError(`there is no file or folder "${path}"`, {
      hint: whatIsPushed,
    });
  try {
    return found.isDirectory() ? packChart(readChartFolder(path), path) : inspectChart(readFileSync(path), path);
  } catch (cause) {
    throw new CommandError(`cannot push "${path}"`, { cause, hint: whatIsPushed });
  }
}

async function list(name: string | undefined, options: ListOptions, terminal: Terminal): Promise<void> {
  if (options.output !== undefined && options.output !== 'json') throw new CommandError('--output knows only json');
  await using hub = await connectToHub(options, terminal);
  const charts = await listStoredCharts(hub.client, { signal: terminal.signal, ...(name !== undefined && { name }) });
  if (options.output === 'json') return terminal.out(`${JSON.stringify(charts, undefined, 2)}\n`);
  if (charts.length === 0) return terminal.err('No charts in the store: "drover chart push" puts one there\n');
  const table = new TabWriter();
  table.line('NAME\tVERSION\tAPP VERSION\tDESCRIPTION');
  for (const [, same] of Map.groupBy(charts, chart => chart.name)) {
    const order = newestFirst(same.map(chart => chart.version));
    for (const chart of same.toSorted((a, b) => order.indexOf(a.version) - order.indexOf(b.version)))
      table.line([chart.name, chart.version, chart.appVersion, shortened(chart.description)].map(text => visibleLine(text)).join('\t'));
  }
  terminal.out(table.flush());
}

const maxDescription = 50;
const shortened = (text: string): string => (text.length <= maxDescription ? text : `${text.slice(0, maxDescription - 1)}…`);

async function remove(name: string, version: string, options: ChangeOptions, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const isThere = async () => (await listStoredCharts(hub.client, { name, signal })).some(one => one.version === version);
  const wasThere = await (options.dryRun === 'none' ? deleteChart(hub.client, { name, version }, { signal }) : isThere());
  if (!wasThere)
    throw new CommandError(`there is no chart "${name}" ${version} in the store`, { hint: '"drover chart list" shows those there are' });
  terminal.out(`chart "${name}" ${version} deleted${dryRunMark(options.dryRun)}\n`);
}
