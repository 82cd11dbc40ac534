import { Option, type Command } from 'commander';
import { readStatusError } from '../../client/read-answer.ts';
import { LineSplitter } from '../../client/read-watch.ts';
import { CommandError } from '../exit-codes.ts';
import { connectToHub } from '../hub-client.ts';
import { parseSeconds } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { addDeliveryOptions, parseRun, type DeliveryOptions } from '../workflows/delivery-argument.ts';
import { logPrinter } from '../workflows/log-printer.ts';
import { findRun, isWorkflowRun } from '../workflows/find-run.ts';
import type { PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';

interface LogsOptions extends DeliveryOptions {
  readonly cluster?: string;
  readonly step?: string;
  readonly unit?: string;
  readonly since?: number;
  readonly prefix?: boolean;
  readonly follow?: boolean;
  readonly output?: 'json';
}

export function defineLogs(command: Command, terminal: Terminal): void {
  command
    .usage('[options] run/NAME')
    .argument('<run...>', 'which run')
    .option('-C, --cluster <name>', 'only what was said of this cluster')
    .option('--step <name>', 'only this step')
    .option('--unit <name>', 'only this part of a step, such as "Wait for Steady State"')
    .addOption(new Option('--since <time>', 'only what is not older, such as 10m').argParser(parseSeconds))
    .option('--prefix', 'begin each line with its cluster, step and unit')
    .option('-f, --follow', 'go on showing what is said until the run is over')
    .addOption(new Option('-o, --output <format>', 'lines of JSON, for programs').choices(['json']));
  addDeliveryOptions(command).action((words: string[], options: LogsOptions) => logs(words, options, terminal));
}

async function logs(words: string[], options: LogsOptions, terminal: Terminal): Promise<void> {
  const named = parseRun(words);
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const found = await findRun(hub, named, options, signal);
  if (!isWorkflowRun(found)) {
    const runs = ((found.run as PipelineRun).status?.stages ?? []).flatMap(stage => stage.runs ?? []);
    throw new CommandError(`${found.title} has no log of its own`, {
      hint: runs.length === 0 ? 'it has no runs yet' : `its runs have: ${runs.join(', ')}`,
    });
  }
  const { transport } = await hub.gateway();
  const path = `/delivery/v1/namespaces/${encodeURIComponent(found.namespace)}/workflowruns/${encodeURIComponent(found.name)}/logs?${queryOf(options).toString()}`;
  const res = await transport.request({ method: 'GET', path, signal, headers: { accept: 'application/json' } });
  if (res.status !== 200) throw await readStatusError(res);
  const splitter = new LineSplitter();
  const print = options.output === 'json' ? (line: string) => `${line}\n` : logPrinter(options.prefix === true);
  try {
    for await (const chunk of res.body) for (const line of splitter.push(chunk as Buffer)) terminal.out(print(line));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function queryOf({ cluster, step, unit, since, follow }: LogsOptions): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ cluster, step, unit })) if (value !== undefined) query.set(name, value);
  if (since !== undefined) query.set('since', new Date(Date.now() - since).toISOString());
  if (follow === true) query.set('follow', 'true');
  return query;
}
