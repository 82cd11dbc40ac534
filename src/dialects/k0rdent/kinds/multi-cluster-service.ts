import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { flag, intOrString, list, mapOf, object, oneOf, openObject, optional, text, time, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, k0rdent, statusConditions } from './group.ts';
import { serviceSpec, serviceState, upgradePaths } from './service-spec.ts';

export const labelSelector = (description: string) =>
  object(description, {
    matchLabels: optional(mapOf('Labels that must be there with these values.', text('A value.'))),
    matchExpressions: optional(
      list(
        'Demands on labels.',
        object('One demand.', {
          key: text('The label.'),
          operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'What is demanded.'),
          values: optional(list('The values, for In and NotIn.', text('A value.'))),
        }),
      ),
    ),
  });

const wave = object('Clusters that get a change together.', {
  name: text('The name of the wave.', { minLength: 1 }),
  clusterSelector: optional(labelSelector('The clusters of the wave.')),
  clusterNames: optional(list('The clusters of the wave by name.', text('Name of a ClusterDeployment, or namespace/name.'))),
  count: optional(intOrString('How many of the clusters that no earlier wave has: a number, or a share such as "10%".')),
  remainder: optional(flag('Whether the wave takes all that are left.')),
  maxConcurrency: optional(intOrString('How many clusters of the wave change at a time. All when absent.')),
  maxFailures: optional(intOrString('How many clusters of the wave may fail. None when absent.')),
  soak: optional(text('How long everything must stay healthy before the next wave, such as "30m".')),
});

export const rollout = object('In which order the clusters get a change. Drover adds this to k0rdent; all clusters at once when absent.', {
  waves: optional(list('The waves, in order. A cluster belongs to the first that selects it.', wave)),
  orderBy: optional(text('The label whose numbers order the clusters within a wave, then their names.')),
  maxUnavailable: optional(intOrString('How many clusters may be without a healthy service at a time because of the change.')),
  maxFailures: optional(intOrString('How many clusters may fail over all waves.')),
  paused: optional(flag('Whether no further cluster gets the change for now.')),
  onFailure: optional(
    oneOf(
      ['Pause', 'Rollback'],
      'What happens when more clusters fail than may: stop there, or put all back to the last verified revision.',
      {
        default: 'Pause',
      },
    ),
  ),
  unassigned: optional(oneOf(['LastWave', 'Skip'], 'What becomes of clusters that no wave selects.', { default: 'LastWave' })),
});
export type RolloutSpec = TypeOf<typeof rollout>;

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
  rollout: optional(rollout),
};

export const multiClusterStatus = openObject('How it goes.', {
  ...statusConditions,
  services: optional(list('Not used.', serviceState)),
  servicesUpgradePaths: optional(upgradePaths),
  matchingClusters: optional(list('The clusters.', matchingCluster)),
  rollout: optional(
    openObject('Where the rollout is.', {
      revision: optional(text('What is being rolled out.')),
      phase: optional(oneOf(['Progressing', 'Soaking', 'Paused', 'Succeeded', 'Failed', 'RollingBack', 'RolledBack'], 'Where it is.')),
      wave: optional(text('The present wave.')),
      updated: optional(text('How many clusters have the change, such as "3/10".')),
      failed: optional(list('Clusters on which it failed.', text('The namespace/name of a ClusterDeployment.'))),
      message: optional(text('What it waits for.')),
    }),
  ),
});

export const multiClusterColumns = [
  { name: 'Clusters', type: 'string', path: '.status.conditions[?(@.type=="ClusterInReadyState")].message' },
  { name: 'provider', type: 'string', path: '.spec.serviceSpec.provider.name' },
  { name: 'self-management', type: 'boolean', path: '.spec.serviceSpec.provider.selfManagement' },
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
