import type { Command } from 'commander';
import { addClusterOptions, chooseSources, type ClusterOptions } from '../clusters/choose-clusters.ts';
import { runDescribe } from '../describe/run-describe.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { parseQuery, parseSeconds } from '../option-values.ts';
import { wantedObjects } from '../resources/file-arguments.ts';
import { addFileOptions, type FileOptions } from '../resources/given-objects.ts';
import type { Terminal } from '../terminal.ts';
import { areWorksOfClusters, worksSources } from '../works/works-sources.ts';

interface DescribeOptions extends HubOptions, ClusterOptions, FileOptions {
  namespace?: string;
  allNamespaces?: boolean;
  selector?: string;
  showEvents: boolean;
  requestTimeout: number;
}

export function defineDescribe(command: Command, terminal: Terminal): void {
  command
    .usage('[options] TYPE [NAME…] | TYPE/NAME… | -f FILE… | -k FOLDER')
    .argument('[types-and-names...]', 'what to describe: clusters, deploy/web, mcs web')
    .option('-n, --namespace <name>', 'the namespace to look in')
    .option('-A, --all-namespaces', 'look in all namespaces')
    .option('-l, --selector <query>', 'only objects whose labels match', parseQuery)
    .option('--no-show-events', 'leave the events out')
    .option('--request-timeout <time>', 'how long each cluster may take, such as 10s', parseSeconds, 30_000)
    .addHelpText(
      'after',
      '\nShows every field and what happened lately. "drover explain" tells in plain words how a Work or a service is, and why.',
    );
  addFileOptions(command, 'the objects');
  addClusterOptions(command);
  addHubOptions(command).action((words: string[], options: DescribeOptions) => describe(words, options, terminal));
}

async function describe(words: string[], options: DescribeOptions, terminal: Terminal): Promise<void> {
  const wanted = await wantedObjects(words, options, { verb: 'describe', terminal });
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
