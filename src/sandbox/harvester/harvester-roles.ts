import { ClusterRole } from '../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../api/object.ts';

const reading = ['get', 'list', 'watch'];
const harvesterResources = ['virtualmachineimages', 'keypairs'];
const kubevirtResources = ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancemigrations'];

/** What Harvester and KubeVirt add to the standard roles. That Harvester lets everybody who looks read Secrets is its own way. */
export function addedRoles(): ClusterRole[] {
  return [
    added('harvesterhci.io:edit', ['admin', 'edit'], harvesterRules(['*'])),
    added('harvesterhci.io:view', ['view'], harvesterRules(reading)),
    added('kubevirt.io:edit', ['admin', 'edit'], [{ apiGroups: ['kubevirt.io'], resources: kubevirtResources, verbs: ['*'] }]),
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
