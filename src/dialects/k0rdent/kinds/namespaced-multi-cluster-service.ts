import { notSeenYet } from '../../../api/conditions.ts';
import { defineKind } from '../../../api/define-kind.ts';
import { openObject } from '../../../api/schema.ts';
import { multiClusterColumns, multiClusterSpec, multiClusterStatus } from './multi-cluster-service.ts';

const unusual: ReadonlySet<string> = new Set(['provider', 'self-management']);

/** A kind has one scope and that of k0rdent's own is the hub, so the one for tenants has a name of its own, in Drover's group. */
export const NamespacedMultiClusterService = defineKind({
  group: 'drover.io',
  version: 'v1alpha1',
  kind: 'NamespacedMultiClusterService',
  plural: 'namespacedmulticlusterservices',
  shortNames: ['nmcs'],
  categories: ['drover'],
  scope: 'Namespaced',
  description:
    'NamespacedMultiClusterService is a MultiClusterService for tenants: it deploys services on those clusters of its own namespace that its selector matches, with templates of that namespace.',
  spec: openObject('The services and the clusters.', multiClusterSpec, {
    rules: [
      {
        rule: '!has(self.serviceSpec) || !has(self.serviceSpec.provider) || !has(self.serviceSpec.provider.selfManagement) || !self.serviceSpec.provider.selfManagement',
        message: 'selfManagement is for MultiClusterServices only: the cluster of the hub belongs to no namespace',
      },
    ],
  }),
  status: { ...multiClusterStatus, json: { ...multiClusterStatus.json, ...notSeenYet } },
  // With its namespace in front, what hardly anybody sets does not fit.
  columns: multiClusterColumns.map(one => (unusual.has(one.name) ? { ...one, priority: 1 } : one)),
});
