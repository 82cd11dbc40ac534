/** The groups of Rancher's kinds. */
export const managementGroup = 'management.cattle.io';
export const provisioningGroup = 'provisioning.cattle.io';

/** What Rancher calls the cluster that it runs on: the hub itself. */
export const localId = 'local';

/** Ids of clusters: also the names of management Clusters and of the namespaces that hold what belongs to them. */
export const clusterIdPattern = '^(local|c-[a-z0-9]{5}|c-m-[a-z0-9]{8})$';
/** Clusters that were made as management Clusters, not by way of a provisioning Cluster. */
export const legacyIdPattern = '^(local|c-[a-z0-9]{5})$';

export const rancherNamespaces = {
  /** Where provisioning Clusters are by default. */
  fleetDefault: 'fleet-default',
  /** Where the provisioning Cluster of the hub itself is. */
  fleetLocal: 'fleet-local',
  system: 'cattle-system',
  /** Where the secrets of providers are, and what programs are to pick up. */
  globalData: 'cattle-global-data',
} as const;

export const rancherLabels = {
  /** On a Cluster: "harvester" for Harvester. */
  provider: 'provider.cattle.io',
  /** On what Rancher makes by itself: "norman". */
  creator: 'cattle.io/creator',
  /** On the project of a cluster into which everything goes that has no other: "true". */
  defaultProject: 'authz.management.cattle.io/default-project',
  /** On the project of a cluster that holds what belongs to the system: "true". */
  systemProject: 'authz.management.cattle.io/system-project',
} as const;

export const rancherAnnotations = {
  description: 'field.cattle.io/description',
  /** The id of the user who made the object. */
  creatorId: 'field.cattle.io/creatorId',
  creatorPrincipal: 'field.cattle.io/creator-principal-name',
  /** On a Cluster: "true" keeps its creator from becoming its owner. */
  noCreatorRbac: 'field.cattle.io/no-creator-rbac',
  /** On a provisioning Cluster: fixes the id. */
  managementClusterName: 'provisioning.cattle.io/management-cluster-name',
  /** On a provisioning Cluster: how the management Cluster is called when not like it. */
  managementClusterDisplayName: 'provisioning.cattle.io/management-cluster-display-name',
  /** On a management Cluster: "true" for those whose spec follows their provisioning Cluster. */
  administrated: 'provisioning.cattle.io/administrated',
} as const;

/** Held while what belongs to a Cluster of Rancher is taken away with it. */
export const managementClusterFinalizer = 'wrangler.cattle.io/mgmt-cluster-remove';
export const provisioningClusterFinalizer = 'wrangler.cattle.io/provisioning-cluster-remove';

/** Annotations of ours on Clusters of Rancher. */
export const pairingAnnotations = {
  /** On a management Cluster: the name of the Cluster of the hub that it is the face of. */
  cluster: 'drover.io/cluster',
  /** On a management Cluster: the provisioning Cluster it was made with, as namespace/name. */
  provisioning: 'drover.io/provisioning-cluster',
  /** On a Cluster: "true" when it goes because somebody removed its face in Rancher, where members are not waited for as long. */
  removedHere: 'drover.io/removed-in-rancher',
  /** On a management Cluster: labels and description on which all its faces last agreed, JSON. */
  agreed: 'drover.io/agreed',
} as const;

/** On the Secret with the hash of a registration token, a label and an annotation: the ClusterRegistrationToken that it belongs to. */
export const tokenMark = 'drover.io/cluster-registration-token';
