import { systemNamespace } from './kinds/group.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import { isOfNamespace } from './service-set-name.ts';

/** Whether a set may name objects of the hub outside its namespace. Tenants write ClusterDeployments and MultiClusterServices of their namespace. */
export function reachesAll({ metadata, spec: { multiClusterService } }: ServiceSet): boolean {
  return metadata.namespace === systemNamespace || (multiClusterService !== undefined && !isOfNamespace(multiClusterService));
}
