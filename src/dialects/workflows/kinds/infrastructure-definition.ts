import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { labelSelector } from '../../../api/label-selector.ts';
import { unavailableClusters } from '../../../api/rollout.ts';
import { anyValue, flag, integer, list, object, oneOf, optional, text, time, wholeObject, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, delivery, loosely, messageColumn } from './group.ts';

const override = object('What differs on some of the clusters.', {
  clusterSelector: optional(loosely(labelSelector('The clusters by their labels, as in spec.clusterSelector. All when absent.'))),
  values: optional(wholeObject('Values that win over all others, key by key.')),
  patches: optional(
    list(
      'Changes to what was rendered.',
      object('A change.', {
        target: optional(
          object('Which objects. Those that the patch names when absent.', {
            group: optional(text('The API group.')),
            kind: optional(text('The kind.')),
            name: optional(text('The name.')),
            namespace: optional(text('The namespace.')),
          }),
        ),
        type: optional(oneOf(['merge', 'json6902', 'strategic'], 'How the patch is written.', { default: 'strategic' })),
        patch: anyValue('The patch, in YAML as a text or as it is.'),
      }),
    ),
  ),
});
export type ClusterOverride = TypeOf<typeof override>;

export const defaultReleaseName = 'release-${infra.kubernetes.infraId}';

export const InfrastructureDefinition = defineKind({
  ...delivery,
  kind: 'InfrastructureDefinition',
  plural: 'infrastructuredefinitions',
  shortNames: ['infra'],
  scope: 'Namespaced',
  description: 'Where a service goes: a provider, a namespace, a release name, and which clusters.',
  spec: object('Where a service goes.', {
    environmentRef: text('The Environment.', { minLength: 1 }),
    cloudProviderRef: text('The CloudProvider.', { minLength: 1 }),
    deploymentType: optional(oneOf(['Kubernetes'], 'Always Kubernetes.', { default: 'Kubernetes' })),
    namespace: text('The namespace on every cluster. Expressions are allowed.', { minLength: 1 }),
    createNamespace: optional(flag('Whether to make the namespace where it is missing.')),
    releaseName: optional(text('The name of the release on every cluster. Expressions are allowed.', { default: defaultReleaseName })),
    clusterSelectionCriteria: optional(
      list(
        'Labels that clusters must have, all of them.',
        object('One label.', {
          labelName: text('The label. Expressions are allowed.'),
          labelValues: text('The values, separated by commas: one of them. Expressions are allowed.'),
        }),
      ),
    ),
    clusterSelector: optional(labelSelector('What clusters must fulfil besides.')),
    clusterNames: optional(list('The only clusters that can be chosen. Any when empty.', text('A name of a cluster.'))),
    exclude: optional(
      object('Clusters that are never chosen.', {
        clusterNames: optional(list('By name.', text('A name of a cluster.'))),
        selector: optional(labelSelector('By label. None when it demands nothing.')),
      }),
    ),
    allowAllClusters: optional(flag('Whether it may be that nothing selects, and all clusters are chosen.')),
    unavailableClusters,
    overrides: optional(list('What differs on some of the clusters. Later ones win.', override)),
  }),
  status: object(
    'Which clusters would be chosen now.',
    {
      matched: optional(
        list(
          'The clusters.',
          object('A cluster.', {
            id: text('Its id.'),
            name: text('Its name.'),
            ready: flag('Whether it is ready.'),
          }),
        ),
      ),
      matchedCount: optional(integer('How many clusters.')),
      lastResolved: optional(time('When the choice last changed.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Provider', type: 'string', path: '.spec.cloudProviderRef' },
    { name: 'Environment', type: 'string', path: '.spec.environmentRef' },
    { name: 'Namespace', type: 'string', path: '.spec.namespace', priority: 1 },
    { name: 'Clusters', type: 'integer', path: '.status.matchedCount' },
    messageColumn('Resolved'),
    ageColumn,
  ],
});
export type InfrastructureDefinition = ObjectFor<typeof InfrastructureDefinition>;
