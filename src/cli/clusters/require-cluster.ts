import { Cluster } from '../../api/cluster.ts';
import { CommandError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';

/** The Cluster with a name. Throws with where to look when the hub has none. */
export async function requireCluster(hub: HubConnection, name: string, { signal }: Pick<Terminal, 'signal'>): Promise<Cluster> {
  const cluster = await hub.client.get(Cluster, { name }, { signal });
  if (!cluster)
    throw new CommandError(`the hub has no member ${JSON.stringify(name)}`, { hint: '"drover get clusters" lists those it has' });
  return cluster;
}
