import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { ChartTakenError, deleteChart, listStoredCharts, pushChart } from '../../core/contents/stored-charts.ts';
import { readChartFolder } from '../../render/chart/read-chart-folder.ts';
import { newestFirst } from '../../sources/choose-version.ts';
import { inspectChart, type FetchedChart } from '../../sources/inspect-chart.ts';
import { packChart } from '../../sources/pack-chart.ts';
import { CommandError } from '../exit-codes.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { Terminal } from '../terminal.ts';

interface ListOptions extends HubOptions {
  output?: 'json';
}

export function defineChart(command: Command, terminal: Terminal): void {
  command.addHelpText(
    'after',
    '\nWorks name charts of the store with "repository: hub". Helm reads it as a repository at https://HUB/charts, with a token of the hub as the password.',
  );
  addHubOptions(command.command('push').description('put a chart into the store'))
    .argument('<chart>', 'folder or archive of the chart')
    .action((path: string, options: HubOptions) => push(path, options, terminal));
  addHubOptions(command.command('list').description('show the charts of the store'))
    .argument('[name]', 'only those of this name')
    .option('-o, --output <form>', 'json')
    .action((name: string | undefined, options: ListOptions) => list(name, options, terminal));
  addHubOptions(command.command('delete').description('take a chart out of the store; what runs of it goes on'))
    .argument('<name>', 'name of the chart')
    .argument('<version>', 'which version')
    .action((name: string, version: string, options: HubOptions) => remove(name, version, options, terminal));
}

async function push(path: string, options: HubOptions, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const chart = readChart(path);
  const { name, version, digest } = chart;
  await using hub = await connectToHub(options, terminal);
  const isNew = await pushChart(hub.client, chart, { signal }).catch((cause: unknown) => {
    if (!(cause instanceof ChartTakenError)) throw new CommandError(`cannot push chart "${name}" ${version}`, { cause });
    const hint = `give it another version, or take the old one out: drover chart delete ${name} ${version}`;
    throw new CommandError(cause.message, { hint });
  });
  terminal.out(`chart "${name}" ${version} ${isNew ? 'pushed' : 'unchanged'} (${digest})\n`);
}

function readChart(path: string): FetchedChart {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new CommandError(`there is no file or folder "${path}"`);
  try {
    return found.isDirectory() ? packChart(readChartFolder(path), path) : inspectChart(readFileSync(path), path);
  } catch (cause) {
    throw new CommandError(`cannot push "${path}"`, { cause });
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

async function remove(name: string, version: string, options: HubOptions, terminal: Terminal): Promise<void> {
  await using hub = await connectToHub(options, terminal);
  const wasThere = await deleteChart(hub.client, { name, version }, { signal: terminal.signal });
  if (!wasThere)
    throw new CommandError(`there is no chart "${name}" ${version} in the store`, { hint: '"drover chart list" shows those there are' });
  terminal.out(`chart "${name}" ${version} deleted\n`);
}
