import { inert } from '../../../api/inert-fields.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { flag, mapOf, openObject, optional, text } from '../../../api/schema.ts';
import { rancherConditions } from './condition.ts';
import { ageColumn, management } from './group.ts';

const amount = (description: string) => optional(text(description));

const limit = (description: string) =>
  optional(
    openObject(description, {
      pods: amount('Pods.'),
      services: amount('Services.'),
      replicationControllers: amount('ReplicationControllers.'),
      secrets: amount('Secrets.'),
      configMaps: amount('ConfigMaps.'),
      persistentVolumeClaims: amount('PersistentVolumeClaims.'),
      servicesNodePorts: amount('Services of type NodePort.'),
      servicesLoadBalancers: amount('Services of type LoadBalancer.'),
      requestsCpu: amount('Processors that containers ask for.'),
      requestsMemory: amount('Memory that containers ask for.'),
      requestsStorage: amount('Storage that claims ask for.'),
      limitsCpu: amount('Processors that containers are limited to.'),
      limitsMemory: amount('Memory that containers are limited to.'),
      extended: optional(mapOf('Other resources, by their names in a ResourceQuota.', text('An amount.'))),
    }),
  );

export const Project = defineKind({
  ...management,
  kind: 'Project',
  plural: 'projects',
  scope: 'Namespaced',
  description:
    'Project is a group of namespaces of one cluster with members and quotas of its own. Its namespace is the id of the cluster.',
  spec: openObject('The project.', {
    displayName: text('The name that people see.'),
    description: optional(text('What it is for.')),
    clusterName: text('The id of its cluster.'),
    resourceQuota: optional(
      openObject('What all its namespaces may use together.', {
        limit: limit('The most.'),
        usedLimit: limit('What is given to namespaces already.'),
      }),
    ),
    namespaceDefaultResourceQuota: optional(openObject('What a namespace that says nothing may use.', { limit: limit('The most.') })),
    containerDefaultResourceLimit: optional(
      openObject('What a container that says nothing asks for and is limited to.', {
        requestsCpu: amount('Processors it asks for.'),
        requestsMemory: amount('Memory it asks for.'),
        limitsCpu: amount('Processors it is limited to.'),
        limitsMemory: amount('Memory it is limited to.'),
      }),
    ),
    enableProjectMonitoring: optional(flag(inert('Whether the project is monitored.', 'nothing here monitors'))),
  }),
  status: openObject('What became of it.', {
    backingNamespace: optional(text('The namespace of the hub that holds its bindings.')),
    conditions: rancherConditions,
  }),
  columns: [
    { name: 'Display Name', type: 'string', path: '.spec.displayName' },
    { name: 'Cluster', type: 'string', path: '.spec.clusterName' },
    ageColumn,
  ],
});
export type Project = ObjectFor<typeof Project>;
