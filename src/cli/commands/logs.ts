import { Option, type Command } from 'commander';
import { brokenOff, readStatusError } from '../../client/read-answer.ts';
import { LineSplitter } from '../../client/read-watch.ts';
import type { PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import { addClusterOptions, areMembersMeant, chooseSources, type ClusterOptions } from '../clusters/choose-clusters.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { connectToHub } from '../hub-client.ts';
import { runPodLogs } from '../logs/pod-logs.ts';
import { parseCount, parseQuery, parseSeconds } from '../option-values.ts';
import { parseResourceArguments } from '../resources/resource-arguments.ts';
import type { Terminal } from '../terminal.ts';
import { addDeliveryOptions, isRunType, parseRun, type DeliveryOptions } from '../workflows/delivery-argument.ts';
import { findRun, isWorkflowRun } from '../workflows/find-run.ts';
import { logPrinter } from '../workflows/log-printer.ts';

interface LogsOptions extends DeliveryOptions, ClusterOptions {
  readonly step?: string;
  readonly unit?: string;
  readonly since?: number;
  readonly prefix?: boolean;
  readonly follow?: boolean;
  readonly output?: 'json';
  readonly selector?: string;
  readonly container?: string;
  readonly allContainers?: boolean;
  readonly tail?: number;
  readonly timestamps?: boolean;
  readonly previous?: boolean;
}

export function defineLogs(command: Command, terminal: Terminal): void {
  command
    .usage('[options] run/NAME | -C CLUSTER pod/NAME | -C CLUSTER deploy/NAME… | -C CLUSTER -l QUERY')
    .argument('[run-or-pods...]', 'which run; or which pods, or workloads with pods, on members')
    .option('--step <name>', 'of a run: only this step')
    .option('--unit <name>', 'of a run: only this part of a step, such as "Wait for Steady State"')
    .option('-l, --selector <query>', 'of pods: those whose labels match', parseQuery)
    .option('-c, --container <name>', 'of pods: this container (default: the first)')
    .option('--all-containers', 'of pods: every container')
    .option('--tail <n>', 'of pods: only so many of the last lines', parseCount)
    .option('--timestamps', 'of pods: begin each line with its time')
    .option('-p, --previous', 'of pods: what the container said before it was started anew')
    .addOption(new Option('--since <time>', 'only what is not older, such as 10m').argParser(parseSeconds))
    .option('--prefix', 'begin each line with where it comes from; with several pods it always does')
    .option('-f, --follow', 'go on showing what is said; of a run, until it is over')
    .addOption(new Option('-o, --output <format>', 'of a run: lines of JSON, for programs').choices(['json']));
  addClusterOptions(command);
  addDeliveryOptions(command)
    .addHelpText(
      'after',
      '\nOf a run, -C shows what was said of that cluster. Of pods, it says on which members they are:\n\n' +
        'drover logs run/shop-x7k2p --follow\ndrover logs deploy/web -n shop --all-clusters --tail 5\ndrover logs -l app=web --cluster-selector env=prod -f',
    )
    .action((words: string[], options: LogsOptions) => logs(words, options, terminal));
}

function logs(words: string[], options: LogsOptions, terminal: Terminal): Promise<void> {
  const [type = '', name] = (words[0] ?? '').split('/');
  const ofPods = options.selector !== undefined || (name !== undefined && !isRunType(type));
  return ofPods ? logsOfPods(words, options, terminal) : logsOfRun(words, options, terminal);
}

async function logsOfPods(words: string[], options: LogsOptions, terminal: Terminal): Promise<void> {
  const { selector, container, allContainers = false, follow = false, since, tail, timestamps = false, previous = false } = options;
  if (!areMembersMeant(options))
    throw usageError('on which member is not said', 'add -C NAME, --all-clusters or --cluster-selector; the hub itself runs no pods');
  if (selector !== undefined && words.length > 0) throw usageError('-l chooses pods: names cannot be given as well');
  const wanted = selector === undefined ? parseResourceArguments(words) : undefined;
  await using hub = await connectToHub(options, terminal);
  const sources = await chooseSources(hub, options, terminal);
  const query = {
    namespace: options.namespace ?? hub.namespace,
    allNamespaces: false,
    labelSelector: selector,
    form: 'objects',
    chunkSize: 500,
  } as const;
  const { prefix: hasPrefix = false } = options;
  await runPodLogs(
    { sources, wanted, query, container, allContainers, hasPrefix, follow, sinceMs: since, tail, timestamps, previous },
    terminal,
  );
}

async function logsOfRun(words: string[], options: LogsOptions, terminal: Terminal): Promise<void> {
  if (words.length === 0)
    throw usageError(
      'whose logs are meant is not said',
      'write run/NAME, or POD -C CLUSTER, or deploy/NAME --all-clusters; "drover runs" lists runs',
    );
  if (options.cluster.length > 1 || options.allClusters || options.clusterSelector !== undefined)
    throw usageError('of a run, -C names one cluster', 'without -C the log has all of them');
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
    if (!signal.aborted) throw brokenOff(error);
  }
}

function queryOf({ cluster: [cluster], step, unit, since, follow }: LogsOptions): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ cluster, step, unit })) if (value !== undefined) query.set(name, value);
  if (since !== undefined) query.set('since', new Date(Date.now() - since).toISOString());
  if (follow === true) query.set('follow', 'true');
  return query;
}
