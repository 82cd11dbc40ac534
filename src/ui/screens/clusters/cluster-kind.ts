import type { Cluster } from '../../../api/cluster.ts';

/** A Cluster as lists hold it. */
export type ClusterObject = Cluster;

export const idOf = ({ status, spec, metadata }: Cluster): string => status?.id ?? spec.id ?? metadata.name ?? '';
