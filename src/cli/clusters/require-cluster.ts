import { Cluster } from '../../api/cluster.ts';
import { StatusError } from '../../api/status.ts';
import { readJson } from '../../client/read-answer.ts';
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

/** The same for those who want only the member: who may not look at the hub may have been let in there all the same, and gets nothing. */
export async function requireMember(hub: HubConnection, name: string, { signal }: Pick<Terminal, 'signal'>): Promise<Cluster | undefined> {
  try {
    return await requireCluster(hub, name, { signal });
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
    await readJson(await hub.source(name).client.request({ method: 'GET', path: '/version', signal }));
    return undefined;
  }
}
