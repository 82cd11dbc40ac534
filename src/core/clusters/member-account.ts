import { ClusterRole, ClusterRoleBinding, Namespace, Secret, ServiceAccount } from '../../api/builtin-kinds.ts';
import { clusterLabels } from '../../api/cluster.ts';
import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../api/object.ts';

/** The namespace on a member that holds what belongs to Drover. */
export const memberNamespace = 'drover-system';

const managed = { 'app.kubernetes.io/managed-by': 'drover' };

/**
 * What the hub's account may do on a member.
 * - Works hold objects of every kind, so all kinds can be read, watched, written and deleted.
 * - Works hold roles too. The API server lets nobody grant what he does not hold himself; `escalate` and `bind` are how it is told that this
 *   account hands out rights on behalf of those who wrote the Work.
 * - Users who come through the hub are impersonated, so that the member's own RBAC decides about them.
 * - Health, version and discovery tell how the member is; some clusters take them away from everybody.
 */
export const memberRules = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
    verbs: ['escalate', 'bind'],
  },
  { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['userextras/*', 'uids'], verbs: ['impersonate'] },
  { nonResourceURLs: ['/readyz', '/healthz', '/livez', '/version', '/api', '/api/*', '/apis', '/apis/*', '/openapi/*'], verbs: ['get'] },
];

/*
 * The objects of the account. Names carry the id, so that several hubs can share one member. The namespace owns the role and the role owns the
 * rest: the account can delete itself with one call, after which it has no rights left, and the member's garbage collector does the rest.
 */

export const roleName = (id: string): string => `drover:${id}`;
export const serviceAccountName = (id: string): string => `drover-${id}`;

export const isMadeByDrover = ({ metadata: { labels } }: KubeObject): boolean =>
  Object.entries(managed).every(([key, value]) => labels?.[key] === value);

export const memberNamespaceObject = (): Namespace => ({ ...typeOf(Namespace), metadata: { name: memberNamespace, labels: managed } });

export function roleObject(id: string, namespace: KubeObject): ClusterRole {
  return { ...typeOf(ClusterRole), metadata: { ...metaOf(id, namespace), name: roleName(id) }, rules: memberRules };
}

export function bindingObject(id: string, role: KubeObject): ClusterRoleBinding {
  return {
    ...typeOf(ClusterRoleBinding),
    metadata: { ...metaOf(id, role), name: roleName(id) },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: roleName(id) },
    subjects: [{ kind: 'ServiceAccount', name: serviceAccountName(id), namespace: memberNamespace }],
  };
}

export function serviceAccountObject(id: string, role: KubeObject): ServiceAccount {
  return {
    ...typeOf(ServiceAccount),
    metadata: { ...metaOf(id, role), name: serviceAccountName(id), namespace: memberNamespace },
    automountServiceAccountToken: false,
  };
}

export function tokenSecretObject(id: string, role: KubeObject): Secret {
  const { labels, ownerReferences } = metaOf(id, role);
  const annotations = { 'kubernetes.io/service-account.name': serviceAccountName(id) };
  return {
    ...typeOf(Secret),
    metadata: { name: serviceAccountName(id), namespace: memberNamespace, labels, ownerReferences, annotations },
    type: 'kubernetes.io/service-account-token',
  };
}

function metaOf(id: string, owner: KubeObject): Required<Pick<ObjectMeta, 'labels' | 'ownerReferences'>> {
  const { name = '', uid = '' } = owner.metadata;
  return {
    labels: { ...managed, [clusterLabels.clusterId]: id },
    ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid }],
  };
}

function typeOf(kind: KindRef): { apiVersion: string; kind: string } {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}
