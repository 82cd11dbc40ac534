import { useMemo } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { kinds } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';

export const isHarvester = ({ metadata, status }: Cluster): boolean =>
  metadata.labels?.['provider.cattle.io'] === 'harvester' || status?.provider === 'harvester';

/** The clusters that hold virtual machines. */
export function useHarvesterClusters() {
  const listed = useList<Cluster>({ kind: kinds.cluster });
  const clusters = useMemo(() => listed.items.filter(isHarvester), [listed.items]);
  return { clusters, state: listed.state, error: listed.error };
}
