import { createHash } from 'node:crypto';

/** As k0rdent has it. Those of a namespace have more, so that none can have the name of another. */
const hashLengths = { ofHub: 8, ofNamespace: 16 } as const;

/**
 * The name of the ServiceSet of an owner on a cluster: that of the ClusterDeployment for its own services. MultiClusterServices are named by their key, which
 * for those of a namespace begins with it.
 */
export function serviceSetName(cluster: string | undefined, multiClusterService: string | undefined): string {
  if (multiClusterService === undefined) return cluster ?? '';
  const length = isOfNamespace(multiClusterService) ? hashLengths.ofNamespace : hashLengths.ofHub;
  const hash = createHash('sha256').update(multiClusterService).digest('hex').slice(0, length);
  return `${cluster ?? 'management'}-${hash}`;
}

/** Whether the key of a MultiClusterService is that of one of a namespace. */
export const isOfNamespace = (multiClusterService: string): boolean => multiClusterService.includes('/');
