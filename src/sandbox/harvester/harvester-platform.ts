import { ClusterRole, ClusterRoleBinding, CustomResourceDefinition, Namespace, RoleBinding, Service } from '../../api/builtin-kinds.ts';
import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { createMissing } from '../../client/create-missing.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import { awaitDefinitions } from '../../core/delivery/await-definitions.ts';
import { openMember } from '../../core/delivery/member.ts';
import { agentNamespace } from '../../core/registration/agent-names.ts';
import { addedRoles } from './harvester-roles.ts';
import { HarvesterSetting, registrationSetting } from './harvester-setting.ts';
import { harvesterKinds } from './kubevirt-kinds.ts';

const publicNamespace = 'harvester-public';
const everybody = { apiGroup: ClusterRole.group, kind: 'Group', name: 'system:authenticated' };
const authenticatedRole = 'harvester-authenticated';
/** Settings that everybody may read. */
const openSettings = [
  'server-version',
  'default-storage-class',
  'harvester-csi-ccm-versions',
  'default-vm-termination-grace-period-seconds',
];

/** Makes what tells a Harvester cluster from others, as far as a hub has to do with it and as far as it is missing. */
export async function ensureHarvester(
  client: KubeClient,
  { version, ...call }: CallOptions & { version: string; signal: AbortSignal },
): Promise<void> {
  const made: KubeObject[] = [];
  for (const kind of [HarvesterSetting, ...harvesterKinds])
    made.push(await createMissing(client, CustomResourceDefinition, kind.definition() as CustomResourceDefinition, call));
  await using member = openMember('harvester', client, call);
  await awaitDefinitions(member, made, call.signal);
  for (const [kind, obj] of platformObjects()) await createMissing(client, kind, obj, call);
  await createMissing(client, HarvesterSetting, setting('server-version', version), call);
  await createMissing(client, HarvesterSetting, setting(registrationSetting, '{"url":"","insecureSkipTLSVerify":false}'), call);
}

function platformObjects(): [KindRef, KubeObject][] {
  const typed = (kind: KindRef, name: string, rest: object, namespace?: string): [KindRef, KubeObject] => [
    kind,
    { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, ...(namespace !== undefined && { namespace }) }, ...rest },
  ];
  const role = (name: string) => ({ roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name }, subjects: [everybody] });
  return [
    typed(Namespace, publicNamespace, {}),
    typed(RoleBinding, publicNamespace, role('view'), publicNamespace),
    typed(ClusterRole, authenticatedRole, {
      rules: [
        { apiGroups: [HarvesterSetting.group], resources: ['settings'], resourceNames: openSettings, verbs: ['get', 'watch'] },
        { apiGroups: [''], resources: ['namespaces'], resourceNames: [publicNamespace], verbs: ['get', 'watch'] },
      ],
    }),
    ...addedRoles().map((role): [KindRef, KubeObject] => [ClusterRole, role]),
    typed(ClusterRoleBinding, authenticatedRole, role(authenticatedRole)),
    typed(Namespace, agentNamespace, {}),
    // Its own Rancher: whoever cleans up after a hub leaves the namespace alone because of it.
    typed(Service, 'rancher', { spec: { selector: { app: 'rancher' }, ports: [{ name: 'https', port: 443 }] } }, agentNamespace),
  ];
}

const setting = (name: string, fallback: string): HarvesterSetting => ({
  apiVersion: apiVersionOf(HarvesterSetting),
  kind: HarvesterSetting.kind,
  metadata: { name },
  value: '',
  default: fallback,
});
