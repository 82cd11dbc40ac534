import { ClusterRole, ClusterRoleBinding, Event, Role, RoleBinding } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { agentUser } from '../../tunnel/protocol.ts';

const labels = { 'app.kubernetes.io/managed-by': 'drover' };

/**
 * What the agent of a cluster may do on the hub: read its own Cluster, say how it is, follow the Works of its own namespace, say how they are, and read the
 * Contents that they name. Nothing else; above all no Secrets, which hold the credentials and registration tokens of the cluster.
 */
export function agentAccess(cluster: Cluster, id: string): (readonly [KindRef, KubeObject])[] {
  const { name = '', uid = '' } = cluster.metadata;
  const own = `drover:agent:${id}`;
  const typed = (kind: KindRef) => ({ apiVersion: apiVersionOf(kind), kind: kind.kind });
  const ownerReferences = [{ ...typed(Cluster), name, uid }];
  const subjects = [{ kind: 'User', apiGroup: ClusterRole.group, name: agentUser(id) }];
  const clusterWide = { name: own, labels, ownerReferences };
  const namespaced = { name: 'drover:agent', namespace: id, labels };
  const apiGroups = [Cluster.group];
  return [
    [
      ClusterRole,
      {
        ...typed(ClusterRole),
        metadata: clusterWide,
        rules: [
          { apiGroups, resources: ['clusters'], resourceNames: [name], verbs: ['get'] },
          { apiGroups, resources: ['clusters/status'], resourceNames: [name], verbs: ['get', 'update', 'patch'] },
          // Not to be listed: whoever knows a digest was told of it by a Work, and nobody guesses one.
          { apiGroups, resources: ['contents'], verbs: ['get'] },
        ],
      },
    ],
    [
      ClusterRoleBinding,
      {
        ...typed(ClusterRoleBinding),
        metadata: clusterWide,
        roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: own },
        subjects,
      },
    ],
    [
      Role,
      {
        ...typed(Role),
        metadata: namespaced,
        rules: [
          { apiGroups, resources: ['works'], verbs: ['get', 'list', 'watch'] },
          { apiGroups, resources: ['works/status'], verbs: ['get', 'update', 'patch'] },
          { apiGroups: [Event.group], resources: ['events'], verbs: ['create'] },
        ],
      },
    ],
    [
      RoleBinding,
      {
        ...typed(RoleBinding),
        metadata: namespaced,
        roleRef: { apiGroup: Role.group, kind: 'Role', name: namespaced.name },
        subjects,
      },
    ],
  ];
}
