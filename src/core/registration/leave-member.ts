import { ClusterRole, Deployment, Secret, ServiceAccount } from '../../api/builtin-kinds.ts';
import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import { adminRole, agentAccountName, agentDeployment, agentNamespace, isImportedByDrover } from './agent-names.ts';
import { cleanNamespaces } from './clean-namespaces.ts';
import { rolesOnMember } from './remove-agent.ts';

/** Of the Secrets that hold the agent's token, its identity and what it keeps for the time without its hub. */
const secretPrefixes = ['cattle-credentials-', 'drover-agent-identity', 'drover-kept-'];

/**
 * What an agent does whose cluster was removed while nobody could clean up after it: it takes away its Deployment, its Secrets and its rights, and nothing
 * else; above all not the namespace, in which others may live. Its rights end with the first call that takes something away, so everything is tied to its
 * role, and goes with that.
 */
export async function leaveMember(member: KubeClient, clusterId: string, call: CallOptions): Promise<void> {
  await cleanNamespaces(member, clusterId, call);
  const role = await member.get(ClusterRole, { name: adminRole }, call);
  if (!role || !isImportedByDrover(role)) return;
  const { uid = '' } = role.metadata;
  const ownerReferences = [{ apiVersion: apiVersionOf(ClusterRole), kind: ClusterRole.kind, name: adminRole, uid }];
  for (const [kind, obj] of await findParts(member, call)) {
    const { namespace, name = '' } = obj.metadata;
    await member.patch(kind, { namespace, name }, { type: 'merge', body: { metadata: { ownerReferences } } }, call);
  }
  await member.delete(ClusterRole, { name: adminRole }, { ...call, preconditions: { uid }, propagationPolicy: 'Background' });
}

async function findParts(member: KubeClient, call: CallOptions): Promise<[KindRef, KubeObject][]> {
  const namespace = agentNamespace;
  const single: [KindRef, { namespace?: string; name: string }][] = [
    ...rolesOnMember()
      .filter(([, name]) => name !== adminRole)
      .map(([kind, name]): [KindRef, { name: string }] => [kind, { name }]),
    [ServiceAccount, { namespace, name: agentAccountName }],
    [Deployment, { namespace, name: agentDeployment }],
  ];
  const parts: [KindRef, KubeObject][] = [];
  for (const [kind, key] of single) {
    const present = await member.get(kind, key, call);
    if (present && isImportedByDrover(present)) parts.push([kind, present]);
  }
  const { items } = await member.list(Secret, { ...call, namespace, labelSelector: 'app.kubernetes.io/managed-by=drover' });
  const own = items.filter(({ metadata: { name = '' } }) => secretPrefixes.some(prefix => name.startsWith(prefix)));
  return [...parts, ...own.map((secret): [KindRef, KubeObject] => [Secret, secret])];
}
