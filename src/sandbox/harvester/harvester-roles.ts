import { ClusterRole } from '../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../api/object.ts';

const reading = ['get', 'list', 'watch'];
const harvesterResources = ['virtualmachineimages', 'keypairs'];
const kubevirtResources = ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancemigrations'];
const of = (resource: string, verbs: readonly string[]) => verbs.map(verb => `${resource}/${verb}`);
/** KubeVirt's second API. Whoever only looks does not get to a console. */
const kubevirtDeeds = [
  {
    apiGroups: ['subresources.kubevirt.io'],
    resources: [
      ...of('virtualmachines', ['start', 'stop', 'restart']),
      ...of('virtualmachineinstances', ['pause', 'unpause', 'softreboot']),
    ],
    verbs: ['update'],
  },
  { apiGroups: ['subresources.kubevirt.io'], resources: of('virtualmachineinstances', ['console', 'vnc']), verbs: ['get'] },
];

/** What Harvester and KubeVirt add to the standard roles. That Harvester lets everybody who looks read Secrets is its own way. */
export function addedRoles(): ClusterRole[] {
  return [
    added('harvesterhci.io:edit', ['admin', 'edit'], harvesterRules(['*'])),
    added('harvesterhci.io:view', ['view'], harvesterRules(reading)),
    added(
      'kubevirt.io:edit',
      ['admin', 'edit'],
      [{ apiGroups: ['kubevirt.io'], resources: kubevirtResources, verbs: ['*'] }, ...kubevirtDeeds],
    ),
    added('kubevirt.io:view', ['view'], [{ apiGroups: ['kubevirt.io'], resources: kubevirtResources, verbs: reading }]),
  ];
}

const harvesterRules = (verbs: string[]) => [
  { apiGroups: ['harvesterhci.io'], resources: harvesterResources, verbs },
  { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs },
  { apiGroups: [''], resources: ['secrets'], verbs },
];

const added = (name: string, to: readonly string[], rules: NonNullable<ClusterRole['rules']>): ClusterRole => ({
  apiVersion: apiVersionOf(ClusterRole),
  kind: ClusterRole.kind,
  metadata: { name, labels: Object.fromEntries(to.map(role => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true'])) },
  rules,
});
