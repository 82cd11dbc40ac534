import type { Command } from 'commander';
import { errorText } from '../../util/error-text.ts';
import { addClusterOptions, areMembersMeant, chooseSources, type ClusterOptions } from '../clusters/choose-clusters.ts';
import { usageError } from '../exit-codes.ts';
import type { Query } from '../get/fetch.ts';
import type { TableOptions } from '../get/print-tables.ts';
import { runGet, type GetRequest } from '../get/run-get.ts';
import { runWatch } from '../get/run-watch.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { collectList, parseCount, parseQuery, parseSeconds } from '../option-values.ts';
import { parseOutputFormat } from '../output/output-format.ts';
import { relaxedPath } from '../output/relaxed-path.ts';
import { wantedObjects } from '../resources/file-arguments.ts';
import { addFileOptions, type FileOptions } from '../resources/given-objects.ts';
import type { Terminal } from '../terminal.ts';
import { areWorksOfClusters, worksSources } from '../works/works-sources.ts';

export interface GetOptions extends HubOptions, ClusterOptions, FileOptions {
  output: string;
  namespace?: string;
  allNamespaces?: boolean;
  selector?: string;
  fieldSelector?: string;
  labelColumns: string[];
  showLabels?: boolean;
  showKind?: boolean;
  showManagedFields?: boolean;
  headers: boolean;
  sortBy?: string | readonly string[];
  watch?: boolean;
  watchOnly?: boolean;
  outputWatchEvents?: boolean;
  ignoreNotFound?: boolean;
  chunkSize: number;
  requestTimeout: number;
}

export function defineGet(command: Command, terminal: Terminal): void {
  command
    .usage('[options] TYPE[,TYPE…] [NAME…] | TYPE/NAME… | -f FILE… | -k FOLDER')
    .argument('[types-and-names...]', 'what to get, as kubectl understands it: pods, deploy/web, clusters.drover.io east')
    .option('-o, --output <format>', 'wide, json, yaml, name, jsonpath=…, jsonpath-as-json=…, custom-columns=…', '')
    .option('-n, --namespace <name>', 'the namespace to look in')
    .option('-A, --all-namespaces', 'look in all namespaces')
    .option('-l, --selector <query>', 'only objects whose labels match', parseQuery)
    .option('--field-selector <query>', 'only objects whose fields match')
    .option('-L, --label-columns <labels>', 'labels to show as columns', collectList, [])
    .option('--show-labels', 'show all labels in the last column')
    .option('--show-kind', 'show the type before each name')
    .option('--show-managed-fields', 'keep managedFields in JSON and YAML')
    .option('--no-headers', 'leave the headers out')
    .option('--sort-by <path>', 'sort by a field, such as .metadata.creationTimestamp')
    .option('-w, --watch', 'go on showing changes')
    .option('--watch-only', 'show changes only')
    .option('--output-watch-events', 'show what kind of change each is')
    .option('--ignore-not-found', 'names that do not exist are no error')
    .option('--chunk-size <n>', 'how many objects to ask for at a time; 0: all', parseCount, getDefaults.chunkSize)
    .option('--request-timeout <time>', 'how long each cluster may take, such as 10s', parseSeconds, getDefaults.requestTimeout);
  addFileOptions(command, 'the objects');
  addClusterOptions(command);
  addHubOptions(command).action((words: string[], options: GetOptions) => get(words, options, terminal));
}

/** What the options are unless somebody says otherwise. */
export const getDefaults = {
  output: '',
  filename: [],
  labelColumns: [],
  cluster: [],
  headers: true,
  chunkSize: 500,
  requestTimeout: 30_000,
};

export async function get(words: string[], options: GetOptions, terminal: Terminal): Promise<void> {
  checkOptions(options);
  const wanted = await wantedObjects(words, options, { verb: 'get', terminal });
  const ofWorks = areWorksOfClusters(wanted, options);
  const ofMembers = areMembersMeant(options) && !ofWorks;
  const { showManagedFields = false, headers } = options;
  const format = parseOutputFormat(options.output, { noHeaders: !headers, showManagedFields, ofMembers });
  await using hub = await connectToHub(options, terminal);
  const sources = await (ofWorks ? worksSources : chooseSources)(hub, options, terminal);
  const namespace = options.namespace ?? (sources.length === 1 ? sources[0]?.namespace : undefined) ?? hub.namespace;
  const request: GetRequest = {
    sources,
    wanted,
    query: queryFrom(options, namespace, format.as),
    format,
    table: tableOptionsFrom(options),
    ignoreNotFound: options.ignoreNotFound ?? false,
    timeoutMs: options.requestTimeout,
  };
  const { watch = false, watchOnly = false, outputWatchEvents = false } = options;
  if (!watch && !watchOnly) return await runGet(request, terminal);
  if (options.sortBy !== undefined) terminal.err(`warning: --watch${watchOnly ? '-only' : ''} requested, --sort-by will be ignored\n`);
  return await runWatch({ ...request, changesOnly: watchOnly, withEvents: outputWatchEvents }, terminal);
}

function checkOptions({ output, showLabels, outputWatchEvents, watch, watchOnly, sortBy = [] }: GetOptions): void {
  for (const path of [sortBy].flat()) checkPath(path);
  if (showLabels && output !== '' && output !== 'wide') throw usageError(`--show-labels option cannot be used with ${output} printer`);
  if (outputWatchEvents && !watch && !watchOnly)
    throw usageError('--output-watch-events option can only be used with --watch or --watch-only');
}

function checkPath(path: string): void {
  try {
    relaxedPath(path);
  } catch (error) {
    throw usageError(`error parsing --sort-by ${path}: ${errorText(error)}`, 'for example: --sort-by=.metadata.creationTimestamp');
  }
}

function queryFrom(options: GetOptions, namespace: string, form: 'table' | 'objects'): Query {
  return {
    namespace,
    allNamespaces: options.allNamespaces ?? false,
    labelSelector: options.selector,
    fieldSelector: options.fieldSelector,
    form,
    wholeObjects: options.sortBy !== undefined,
    chunkSize: options.sortBy === undefined ? options.chunkSize : 0,
  };
}

function tableOptionsFrom(options: GetOptions): TableOptions {
  return {
    allNamespaces: options.allNamespaces ?? false,
    wide: options.output === 'wide',
    noHeaders: !options.headers,
    showKind: options.showKind ?? false,
    showLabels: options.showLabels ?? false,
    labelColumns: options.labelColumns,
    sortBy: options.sortBy,
  };
}
