import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';

/** On what was made for a ClusterDeployment: its uid. */
export const deploymentUidLabel = 'k0rdent.mirantis.com/cluster-deployment-uid';

export function configOf({ spec }: ClusterDeployment): JsonObject {
  const config = spec.config as Json | undefined;
  return config !== undefined && isJsonObject(config) ? config : {};
}

/** The labels of the cluster. Nobody may write another's uid there. */
export function labelsOf(cd: ClusterDeployment): Readonly<Record<string, string>> {
  const given = configOf(cd)['clusterLabels'];
  const labels = given !== undefined && isJsonObject(given) ? (given as Record<string, string>) : (cd.metadata.labels ?? {});
  return Object.fromEntries(Object.entries(labels).filter(([key]) => key !== deploymentUidLabel));
}
