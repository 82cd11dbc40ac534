import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { underDeadline } from '../../client/deadline.ts';
import { readJson } from '../../client/read-answer.ts';
import { CommandError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import { labelTest } from '../resources/given-objects.ts';
import type { Terminal } from '../terminal.ts';

interface ShownCluster {
  readonly id: string;
  readonly name: string;
  readonly labels?: Record<string, string> | null;
}

const timeoutMs = 30_000;

/** The members that somebody sees who may not list Clusters: those on which they have a role, as Rancher's API and the page show them. */
export async function visibleClusters(
  hub: HubConnection,
  selector: string | undefined,
  { signal }: Pick<Terminal, 'signal'>,
  refusal: unknown,
): Promise<Cluster[]> {
  const matches = selector === undefined ? () => true : labelTest(selector);
  try {
    const { transport } = await hub.gateway();
    const { data } = await underDeadline(
      { signal, timeoutMs },
      async deadline =>
        (await readJson(await transport.request({ method: 'GET', path: '/v3/clusters?limit=-1', signal: deadline }))) as unknown as {
          data: ShownCluster[];
        },
    );
    return data
      .filter(({ id, labels }) => id !== 'local' && matches(labels ?? {}))
      .map(({ id, name, labels }) => newObject(Cluster, { name, ...(labels && { labels }) }, { id, connection: { mode: 'Tunnel' } }));
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CommandError('which members there are is not shown to you', {
      cause: refusal,
      hint: 'name them with -C, or ask for the right to list clusters.drover.io',
    });
  }
}
