import type { Command } from 'commander';
import { addClusterOptions, chooseSources, type ClusterOptions } from '../clusters/choose-clusters.ts';
import { usageError } from '../exit-codes.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { parseQuery, parseSeconds } from '../option-values.ts';
import { wantedObjects } from '../resources/file-arguments.ts';
import { addFileOptions, type FileOptions } from '../resources/given-objects.ts';
import type { Terminal } from '../terminal.ts';
import { parseAwaited, type Awaited } from '../wait/awaited.ts';
import { runWait } from '../wait/run-wait.ts';
import { areWorksOfClusters, worksSources } from '../works/works-sources.ts';

interface WaitOptions extends HubOptions, ClusterOptions, FileOptions {
  for?: Awaited;
  namespace?: string;
  allNamespaces?: boolean;
  all?: boolean;
  selector?: string;
  fieldSelector?: string;
  timeout: number;
  requestTimeout: number;
}

export function defineWait(command: Command, terminal: Terminal): void {
  command
    .usage('[options] --for=WHAT TYPE/NAME… | TYPE [NAME…] | -f FILE…')
    .argument('[types-and-names...]', 'what to wait for: clusters, deploy/web, mcs web')
    .option('--for <what>', 'condition=NAME[=VALUE], jsonpath={PATH}[=VALUE], create or delete', parseAwaited)
    .option('-n, --namespace <name>', 'the namespace to look in')
    .option('-A, --all-namespaces', 'look in all namespaces')
    .option('--all', 'all objects of the type')
    .option('-l, --selector <query>', 'only objects whose labels match', parseQuery)
    .option('--field-selector <query>', 'only objects whose fields match')
    .option('--timeout <time>', 'how long to wait for everything together, such as 5m', parseSeconds, 30_000)
    .option('--request-timeout <time>', 'how long each cluster may take to answer', parseSeconds, 30_000);
  addFileOptions(command, 'the objects', { isWait: true });
  addClusterOptions(command);
  addHubOptions(command).action((words: string[], options: WaitOptions) => wait(words, options, terminal));
}

async function wait(words: string[], options: WaitOptions, terminal: Terminal): Promise<void> {
  const { for: awaited, all, selector, fieldSelector } = options;
  if (!awaited) throw usageError('--for says what to wait for', 'for example: drover wait clusters --all --for=condition=Ready');
  const wanted = await wantedObjects(words, options, { verb: 'wait', terminal });
  if (wanted.by === 'type' && !all && selector === undefined && fieldSelector === undefined)
    throw usageError('which of them is not said', 'name objects, choose them with -l, or say --all');
  await using hub = await connectToHub(options, terminal);
  const sources = await (areWorksOfClusters(wanted, options) ? worksSources : chooseSources)(hub, options, terminal);
  const query = {
    namespace: options.namespace ?? hub.namespace,
    allNamespaces: options.allNamespaces ?? false,
    labelSelector: selector,
    fieldSelector,
    form: 'objects',
    chunkSize: 500,
  } as const;
  await runWait({ sources, wanted, query, awaited, timeoutMs: options.timeout, requestTimeoutMs: options.requestTimeout }, terminal);
}
