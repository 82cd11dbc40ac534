import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { flag, list, object, oneOf, openObject, optional, text, type TypeOf } from '../../../api/schema.ts';
import { k0rdent, objectReference, statusConditions } from './group.ts';
import { helmOptions, provider, serviceState } from './service-spec.ts';

const setService = object('A service as it is to be on the cluster now.', {
  name: text('The name of the release.'),
  namespace: text('The namespace of the release.'),
  template: text('The ServiceTemplate.'),
  version: optional(text('The version of the template.')),
  values: optional(text('Values in YAML, itself a Go template.')),
  valuesFrom: optional(
    list('Further values.', object('A source of values.', { kind: oneOf(['ConfigMap', 'Secret'], 'Which.'), name: text('Its name.') })),
  ),
  helmOptions: optional(helmOptions),
  helmAction: optional(oneOf(['Install', 'Uninstall'], 'What is to be done.')),
});
export type SetService = TypeOf<typeof setService>;

const releaseReport = object('What would happen to one release.', {
  releaseName: text('The name of the release.'),
  releaseNamespace: text('The namespace of the release.'),
  chartVersion: optional(text('The version that is wanted.')),
  action: oneOf(['No Action', 'Install', 'Upgrade', 'Update Values', 'Delete', 'Conflict'], 'What would happen.'),
  message: text('What exactly, or why not.'),
});
export type ReleaseReport = TypeOf<typeof releaseReport>;

export const ServiceSet = defineKind({
  ...k0rdent,
  kind: 'ServiceSet',
  plural: 'servicesets',
  scope: 'Namespaced',
  description: 'ServiceSet is what one owner, a ClusterDeployment or a MultiClusterService, deploys on one cluster.',
  spec: openObject('The services and the cluster.', {
    cluster: text('The ClusterDeployment in the same namespace. Empty: the cluster of the hub.'),
    multiClusterService: optional(
      text('The MultiClusterService it belongs to, with its namespace in front when it has one. Absent: the ClusterDeployment.'),
    ),
    provider,
    services: optional(list('The services, in order.', setService)),
  }),
  status: openObject('How the services are.', {
    cluster: optional(objectReference('The cluster.')),
    deployed: flag('Whether all services are deployed.', { default: false }),
    provider: optional(
      object('The provider.', { ready: optional(flag('Whether it is ready.')), suspended: optional(flag('Whether it rests.')) }),
    ),
    services: optional(list('The services.', serviceState)),
    releaseReports: optional(
      list(
        'What a delivery would do while syncMode is DryRun, in the words of the ClusterReports of Sveltos. Drover adds this to k0rdent.',
        releaseReport,
      ),
    ),
    ...statusConditions,
  }),
  columns: [
    { name: 'cluster', type: 'string', path: '.spec.cluster' },
    { name: 'multiClusterServer', type: 'string', path: '.spec.multiClusterService' },
    { name: 'Services', type: 'string', path: '.status.conditions[?(@.type=="ServicesInReadyState")].message' },
    { name: 'provider', type: 'string', path: '.spec.provider.name' },
    { name: 'self-management', type: 'boolean', path: '.spec.provider.selfManagement' },
    { name: 'age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});
export type ServiceSet = ObjectFor<typeof ServiceSet>;

/** Presence is enough: the set is not delivered for now. */
export const pausedAnnotation = 'k0rdent.mirantis.com/service-set-paused';
