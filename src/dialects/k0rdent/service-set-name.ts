import { createHash } from 'node:crypto';

/** The name of the ServiceSet of an owner on a cluster: that of the ClusterDeployment for its own services. */
export function serviceSetName(cluster: string | undefined, multiClusterService: string | undefined): string {
  if (multiClusterService === undefined) return cluster ?? '';
  const hash = createHash('sha256').update(multiClusterService).digest('hex').slice(0, 8);
  return `${cluster ?? 'management'}-${hash}`;
}
