import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { anyObject, anyValue, flag, list, openObject, optional, text } from '../../../api/schema.ts';
import { ageColumn, k0rdent, readyColumn, statusConditions } from './group.ts';
import { serviceSpec, serviceState, upgradePaths } from './service-spec.ts';

export const ClusterDeployment = defineKind({
  ...k0rdent,
  kind: 'ClusterDeployment',
  plural: 'clusterdeployments',
  shortNames: ['clusterd', 'cld'],
  scope: 'Namespaced',
  description: 'ClusterDeployment is a cluster made from a template, with the services of its own.',
  spec: openObject('The cluster and its services.', {
    template: text('The ClusterTemplate.', { minLength: 1, maxLength: 253 }),
    config: optional(anyValue('Values for the chart of the template.')),
    credential: optional(text('The Credential.')),
    clusterAuth: optional(text('The ClusterAuthentication.')),
    dataSource: optional(text('The DataSource.')),
    auditPolicy: optional(text('The ClusterAuditPolicy.')),
    ipamClaim: optional(anyObject('Addresses for the cluster.')),
    serviceSpec: optional(serviceSpec),
    dryRun: optional(flag('Whether to check the object and make nothing.')),
    propagateCredentials: optional(flag('Whether credentials are given to the cluster.', { default: true })),
    cleanupOnDeletion: optional(flag('Whether to delete load balancers and volumes of the cluster first.')),
  }),
  status: openObject('How the cluster and its services are.', {
    services: optional(list('The services.', serviceState)),
    servicesUpgradePaths: optional(upgradePaths),
    availableUpgrades: optional(list('ClusterTemplates to which the cluster can be upgraded.', text('A name.'))),
    k8sVersion: optional(text('The version of Kubernetes.')),
    region: optional(text('The region.')),
    ...statusConditions,
  }),
  columns: [
    readyColumn,
    { name: 'Services', type: 'string', path: '.status.conditions[?(@.type=="ServicesInReadyState")].message' },
    { name: 'Template', type: 'string', path: '.spec.template' },
    { name: 'Messages', type: 'string', path: '.status.conditions[?(@.type=="Ready")].message' },
    ageColumn,
    { name: 'DryRun', type: 'string', path: '.spec.dryRun', priority: 1 },
  ],
});
export type ClusterDeployment = ObjectFor<typeof ClusterDeployment>;
