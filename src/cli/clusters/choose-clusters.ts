import type { Command } from 'commander';
import { Cluster } from '../../api/cluster.ts';
import { StatusError } from '../../api/status.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import { collectList, parseQuery } from '../option-values.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { Terminal } from '../terminal.ts';
import { visibleClusters } from './visible-clusters.ts';

export interface ClusterOptions {
  readonly cluster: readonly string[];
  readonly allClusters?: boolean;
  readonly clusterSelector?: string;
}

export function addClusterOptions(command: Command): Command {
  return command
    .option('-C, --cluster <names>', 'on these members instead of the hub', collectList, [])
    .option('--all-clusters', 'on all members')
    .option('--cluster-selector <query>', 'on the members whose labels match', parseQuery);
}

/** True when members are meant and not the hub. */
export const areMembersMeant = ({ cluster, allClusters, clusterSelector }: ClusterOptions): boolean =>
  cluster.length > 0 || allClusters === true || clusterSelector !== undefined;

/** The APIs that the options name: the hub, or members in the order of their names. */
export async function chooseSources(hub: HubConnection, options: ClusterOptions, terminal: Terminal): Promise<ApiSource[]> {
  if (!areMembersMeant(options)) return [hub.source()];
  checkClusterOptions(options);
  if (options.cluster.length > 0) return [...new Set(options.cluster)].map(name => hub.source(name));
  return (await matchingClusters(hub, options, terminal)).map(({ metadata }) => hub.source(metadata.name!));
}

export function checkClusterOptions({ cluster, allClusters, clusterSelector }: ClusterOptions): void {
  if (cluster.length > 0 && (allClusters || clusterSelector !== undefined))
    throw usageError('--cluster names members; it cannot be used with --all-clusters or --cluster-selector', 'choose one of them');
}

/** The members that the selector means, or all that one may see, in the order of their names. The hub itself is meant only when it is named. Throws when there is none. */
export async function matchingClusters(hub: HubConnection, { clusterSelector }: ClusterOptions, terminal: Terminal): Promise<Cluster[]> {
  const found = await hub.client
    .list(Cluster, { signal: terminal.signal, ...(clusterSelector !== undefined && { labelSelector: clusterSelector }) })
    .then(
      ({ items: all }) => all,
      (error: unknown) => {
        if (!(error instanceof StatusError) || error.code !== 403) throw error;
        return visibleClusters(hub, clusterSelector, terminal, error);
      },
    );
  const items = found.filter(({ spec }) => spec.connection.mode !== 'Local');
  if (items.length === 0)
    throw new CommandError(clusterSelector === undefined ? 'the hub has no members' : `no member matches "${clusterSelector}"`, {
      hint:
        clusterSelector === undefined
          ? 'add one with "drover sandbox create", "drover join" or "drover import"'
          : '"drover get clusters --show-labels" shows the labels that they have',
    });
  return items.sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
}
