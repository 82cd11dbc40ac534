import type { Cluster } from '../../../../api/cluster.ts';

/** Whether pods run there: not in a sandbox, not on the hub itself, and nobody knows of a cluster that never came. Members of clusters see all of them as tunnels. */
export function runsContainers({ spec, status }: Pick<Cluster, 'spec' | 'status'>): boolean {
  const { mode } = spec.connection;
  return (mode === 'Tunnel' || mode === 'Direct') && status?.version !== undefined && status.provider !== 'sandbox';
}
