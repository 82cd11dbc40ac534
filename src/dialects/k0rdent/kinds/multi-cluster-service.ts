import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { labelSelector } from '../../../api/label-selector.ts';
import { rolloutSpec, rolloutStatus } from '../../../api/rollout.ts';
import { flag, list, object, openObject, optional, text, time, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, k0rdent, statusConditions } from './group.ts';
import { serviceSpec, serviceState, upgradePaths } from './service-spec.ts';

export const matchingCluster = object('A cluster that the selector matches.', {
  apiVersion: optional(text('The API version of the object.')),
  kind: optional(text('The kind of the object.')),
  namespace: optional(text('The namespace of the object.')),
  name: optional(text('The name of the object.')),
  regional: flag('Whether it is managed by a regional cluster.', { default: false }),
  deployed: flag('Whether all services are deployed on it.', { default: false }),
  lastTransitionTime: optional(time('When deployed last changed.')),
  reason: optional(text('Why not, for programs.')),
  message: optional(text('Why not, for people.')),
  outranked: optional(flag('Whether a release is not there because an owner with more priority has it. Drover adds this to k0rdent.')),
});
export type MatchingCluster = TypeOf<typeof matchingCluster>;

/** What MultiClusterServices of the whole hub and those of a namespace ask for. */
export const multiClusterSpec = {
  clusterSelector: optional(labelSelector('Labels of ClusterDeployments. An empty selector matches none.')),
  dependsOn: optional(list('MultiClusterServices whose services must be deployed first, cluster by cluster.', text('A name.'))),
  serviceSpec: optional(serviceSpec),
  keepServicesOnSelectorMismatch: optional(
    flag('Whether services stay on clusters that the selector no longer matches.', { default: false }),
  ),
  rollout: optional(
    rolloutSpec('In which order the clusters get a change. Drover adds this to k0rdent; all clusters at once when absent.'),
  ),
};

export const multiClusterStatus = openObject('How it goes.', {
  ...statusConditions,
  services: optional(list('Not used.', serviceState)),
  servicesUpgradePaths: optional(upgradePaths),
  matchingClusters: optional(list('The clusters.', matchingCluster)),
  rollout: optional(rolloutStatus('Where the rollout is. It is also what the hub remembers of it.')),
});

export const multiClusterColumns = [
  { name: 'Clusters', type: 'string', path: '.status.conditions[?(@.type=="ClusterInReadyState")].message' },
  { name: 'provider', type: 'string', path: '.spec.serviceSpec.provider.name' },
  { name: 'self-management', type: 'boolean', path: '.spec.serviceSpec.provider.selfManagement' },
  { name: 'Rollout', type: 'string', path: '.status.rollout.phase', priority: 1 },
  { name: 'Updated', type: 'string', path: '.status.rollout.updated', priority: 1 },
  ageColumn,
] as const;

export const MultiClusterService = defineKind({
  ...k0rdent,
  kind: 'MultiClusterService',
  plural: 'multiclusterservices',
  shortNames: ['mcs'],
  scope: 'Cluster',
  description: 'MultiClusterService deploys services on all clusters that its selector matches.',
  spec: openObject('The services and the clusters.', multiClusterSpec),
  status: multiClusterStatus,
  columns: multiClusterColumns,
});
export type MultiClusterService = ObjectFor<typeof MultiClusterService>;
