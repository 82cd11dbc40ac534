import type { Command } from 'commander';
import { addClusterOptions, chooseSources, type ClusterOptions } from '../clusters/choose-clusters.ts';
import { runDescribe } from '../describe/run-describe.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { parseSeconds } from '../option-values.ts';
import { parseResourceArguments } from '../resources/resource-arguments.ts';
import type { Terminal } from '../terminal.ts';
import { areWorksOfClusters, worksSources } from '../works/works-sources.ts';

interface DescribeOptions extends HubOptions, ClusterOptions {
  namespace?: string;
  allNamespaces?: boolean;
  selector?: string;
  showEvents: boolean;
  requestTimeout: number;
}

export function defineDescribe(command: Command, terminal: Terminal): void {
  command
    .usage('[options] TYPE [NAME…] | TYPE/NAME…')
    .argument('[types-and-names...]', 'what to describe: clusters, deploy/web, mcs web')
    .option('-n, --namespace <name>', 'the namespace to look in')
    .option('-A, --all-namespaces', 'look in all namespaces')
    .option('-l, --selector <query>', 'only objects whose labels match')
    .option('--no-show-events', 'leave the events out')
    .option('--request-timeout <time>', 'how long each cluster may take, such as 10s', parseSeconds, 30_000)
    .addHelpText(
      'after',
      '\nShows every field and what happened lately. "drover explain" tells in plain words how a Work or a service is, and why.',
    );
  addClusterOptions(command);
  addHubOptions(command).action((words: string[], options: DescribeOptions) => describe(words, options, terminal));
}

async function describe(words: string[], options: DescribeOptions, terminal: Terminal): Promise<void> {
  const wanted = parseResourceArguments(words, 'describe');
  await using hub = await connectToHub(options, terminal);
  const sources = await (areWorksOfClusters(wanted, options) ? worksSources : chooseSources)(hub, options, terminal);
  const query = {
    namespace: options.namespace ?? hub.namespace,
    allNamespaces: options.allNamespaces ?? false,
    labelSelector: options.selector,
    form: 'objects',
    chunkSize: 500,
  } as const;
  await runDescribe({ sources, wanted, query, showEvents: options.showEvents, timeoutMs: options.requestTimeout }, terminal);
}
