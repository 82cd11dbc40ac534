import type { Command } from 'commander';
import { Cluster } from '../../api/cluster.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { addHubOptions, type HubConnection, type HubOptions } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';
import { requireCluster } from './require-cluster.ts';

/** Which clusters a command changes. */
export interface ChangedClusters extends HubOptions {
  readonly selector?: string;
}

export function addChangedClusters(command: Command): Command {
  return addHubOptions(
    command
      .usage('[options] cluster NAME… | cluster/NAME… | -l QUERY')
      .argument('[cluster...]', 'which clusters')
      .option('-l, --selector <query>', 'the clusters whose labels match'),
  );
}

const types = new Set(['cluster', Cluster.resource, `cluster.${Cluster.group}`, `${Cluster.resource}.${Cluster.group}`]);

/** Names of clusters in any of the forms that kubectl takes, or without the type. */
export function parseClusterNames(words: readonly string[]): string[] {
  const [first = '', ...others] = words;
  const names = types.has(first.toLowerCase()) ? others : words;
  return [...new Set(names.map(nameOf))];
}

function nameOf(word: string): string {
  const [type = '', name, ...more] = word.split('/');
  if (name === undefined) return type;
  if (!types.has(type.toLowerCase()) || name === '' || more.length > 0)
    throw usageError(`${JSON.stringify(word)} does not name a cluster`, 'write cluster/NAME');
  return name;
}

export async function findChangedClusters(
  hub: HubConnection,
  words: readonly string[],
  { selector }: ChangedClusters,
  { signal }: Pick<Terminal, 'signal'>,
): Promise<Cluster[]> {
  const names = parseClusterNames(words);
  if (names.length > 0 && selector !== undefined) throw usageError('a name and -l cannot be given together');
  if (selector !== undefined) {
    const { items } = await hub.client.list(Cluster, { labelSelector: selector, signal });
    if (items.length === 0)
      throw new CommandError(`no cluster matches ${JSON.stringify(selector)}`, {
        hint: '"drover get clusters --show-labels" lists those there are',
      });
    return items;
  }
  if (names.length === 0) throw usageError('which cluster is meant is not said', 'for example: cluster/east, or -l env=test');
  return Promise.all(names.map(name => requireCluster(hub, name, { signal })));
}
