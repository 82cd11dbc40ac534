import { ClusterRole, ClusterRoleBinding, Namespace, Service } from '../../api/builtin-kinds.ts';
import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf } from '../../api/object.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import { agentNamespace, importedRoles, isImportedByDrover } from './agent-names.ts';
import { cleanNamespaces } from './clean-namespaces.ts';

/**
 * Takes back what the import manifest put on a member. The agent is cut off by it, so it is one call that counts: the roles are left to the
 * namespace, and go with it. What others put there under the same names stays.
 */
export async function removeAgent(member: KubeClient, clusterId: string, call: CallOptions): Promise<void> {
  await cleanNamespaces(member, clusterId, call);
  const namespace = await member.get(Namespace, { name: agentNamespace }, call);
  if (!namespace || !isImportedByDrover(namespace)) return;
  // A Rancher lives here: its namespace is not ours to remove.
  if (await member.get(Service, { namespace: agentNamespace, name: 'rancher' }, call)) return;
  const { uid = '' } = namespace.metadata;
  const ownerReferences = [{ apiVersion: apiVersionOf(Namespace), kind: Namespace.kind, name: agentNamespace, uid }];
  for (const [kind, name] of rolesOnMember()) {
    const present = await member.get(kind, { name }, call);
    if (present && isImportedByDrover(present))
      await member.patch(kind, { name }, { type: 'merge', body: { metadata: { ownerReferences } } }, call);
  }
  await member.delete(Namespace, { name: agentNamespace }, { ...call, preconditions: { uid }, propagationPolicy: 'Background' });
}

/** What the import manifest makes outside of its namespace. */
export function rolesOnMember(): [KindRef, string][] {
  return [
    ...importedRoles.roles.map((name): [KindRef, string] => [ClusterRole, name]),
    ...importedRoles.bindings.map((name): [KindRef, string] => [ClusterRoleBinding, name]),
  ];
}
