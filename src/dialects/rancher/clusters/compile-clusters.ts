import { lastAppliedAnnotation } from '../../../api/object.ts';
import { Cluster } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import { isDns1123Label } from '../../../api/names.ts';
import { clusterId, idFromUid } from '../../../core/clusters/cluster-id.ts';
import { keyOf } from '../../../runtime/key.ts';
import { ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import {
  clusterIdPattern,
  legacyIdPattern,
  localId,
  managementClusterFinalizer,
  pairingAnnotations,
  rancherAnnotations,
  rancherNamespaces,
} from '../names.ts';
import { printAgreed } from './agreed-facts.ts';

const isClusterId = (text: string): boolean => new RegExp(clusterIdPattern).test(text);
const isLegacyId = (text: string): boolean => new RegExp(legacyIdPattern).test(text);

/** Annotations that are about one object and no other. */
const ownAnnotations = new Set<string>([
  lastAppliedAnnotation,
  rancherAnnotations.managementClusterName,
  rancherAnnotations.managementClusterDisplayName,
  rancherAnnotations.description,
]);

/** The id that a provisioning Cluster asks for, or the one that follows from its uid. Undefined when what it asks for is no id. */
export function idOfProvisioning({ metadata }: ProvisioningCluster): string | undefined {
  const fixed = metadata.annotations?.[rancherAnnotations.managementClusterName];
  if (fixed === undefined || fixed === '') return idFromUid(metadata.uid ?? '');
  return isClusterId(fixed) ? fixed : undefined;
}

/** The management Cluster that a provisioning Cluster asks for. */
export function managementOfProvisioning(provisioning: ProvisioningCluster, id: string): ManagementCluster {
  const { name = '', namespace = '', labels = {}, annotations = {} } = provisioning.metadata;
  const description = annotations[rancherAnnotations.description];
  const copied = Object.fromEntries(Object.entries(annotations).filter(([key]) => !ownAnnotations.has(key)));
  const metadata = {
    name: id,
    finalizers: [managementClusterFinalizer],
    labels: { ...labels },
    annotations: {
      ...copied,
      [rancherAnnotations.administrated]: 'false',
      [pairingAnnotations.provisioning]: keyOf(provisioning),
      [pairingAnnotations.agreed]: printAgreed({ labels, description }),
    },
  };
  return newObject(ManagementCluster, metadata, {
    displayName: annotations[rancherAnnotations.managementClusterDisplayName] || name,
    ...(description !== undefined && { description }),
    internal: false,
    importedConfig: {},
    fleetWorkspaceName: namespace,
    ...agentWishes(provisioning),
  });
}

/** What people say about the agent on a provisioning Cluster. */
export function agentWishes({ spec }: ProvisioningCluster) {
  const { agentEnvVars, clusterAgentDeploymentCustomization, localClusterAuthEndpoint } = spec;
  return {
    ...(agentEnvVars && { agentEnvVars }),
    ...(clusterAgentDeploymentCustomization && { clusterAgentDeploymentCustomization }),
    ...(localClusterAuthEndpoint && { localClusterAuthEndpoint }),
  };
}

/** The face of a Cluster that came to the hub in another way. */
export function managementOfCluster(cluster: Cluster): ManagementCluster {
  const { name = '', labels = {} } = cluster.metadata;
  const metadata = {
    name: clusterId(cluster),
    finalizers: [managementClusterFinalizer],
    labels: { ...labels },
    annotations: { [pairingAnnotations.cluster]: name, [pairingAnnotations.agreed]: printAgreed({ labels }) },
  };
  return newObject(ManagementCluster, metadata, { displayName: name, internal: false, importedConfig: {} });
}

/** The face of the hub itself. */
export function managementOfHub(): ManagementCluster {
  return newObject(
    ManagementCluster,
    { name: localId, annotations: { [pairingAnnotations.agreed]: printAgreed({ labels: {} }) } },
    { displayName: localId, internal: true, fleetWorkspaceName: rancherNamespaces.fleetLocal },
  );
}

/** The Cluster that waits for the agent of a management Cluster that people made, under the name they gave it where that can be one. */
export function clusterOfManagement(management: ManagementCluster, { isNameTaken = false } = {}): Cluster {
  const { name: id = '', labels } = management.metadata;
  const { displayName = '' } = management.spec;
  const isName = !isNameTaken && displayName !== localId && isDns1123Label(displayName).length === 0;
  return newObject(
    Cluster,
    { name: isName ? displayName : id, ...(labels && { labels: { ...labels } }) },
    { id, connection: { mode: 'Tunnel' } },
  );
}

/** The provisioning Cluster that belongs to a management Cluster which was made by itself. Undefined when it is to have none. */
export function provisioningOfManagement(management: ManagementCluster): ProvisioningCluster | undefined {
  const { name = '', labels } = management.metadata;
  const { fleetWorkspaceName: namespace, description, agentEnvVars } = management.spec;
  if (!namespace || !isLegacyId(name)) return undefined;
  return newObject(
    ProvisioningCluster,
    {
      name,
      namespace,
      ...(labels && { labels: { ...labels } }),
      annotations: {
        [rancherAnnotations.managementClusterName]: name,
        ...(description !== undefined && { [rancherAnnotations.description]: description }),
      },
    },
    { ...(agentEnvVars && { agentEnvVars }) },
  );
}

/** The provisioning Cluster of a management Cluster, as namespace/name. */
export function provisioningKeyOf(management: ManagementCluster): string | undefined {
  const { name = '', annotations } = management.metadata;
  const made = annotations?.[pairingAnnotations.provisioning];
  if (made !== undefined) return made;
  const { fleetWorkspaceName: namespace } = management.spec;
  return namespace && isLegacyId(name) ? keyOf({ metadata: { namespace, name } }) : undefined;
}
