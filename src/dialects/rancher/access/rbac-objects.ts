import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../../api/builtin-kinds.ts';
import type { PolicyRule, RbacV1Subject as Subject } from '../../../api/kubernetes.ts';
import { apiVersionOf } from '../../../api/object.ts';

export type { PolicyRule, Subject };

const { group: apiGroup } = ClusterRole;
const apiVersion = apiVersionOf(ClusterRole);
const labels = { 'app.kubernetes.io/managed-by': 'drover', 'cattle.io/creator': 'norman' };

export const clusterRole = (name: string, rules: readonly PolicyRule[]): ClusterRole => ({
  apiVersion,
  kind: ClusterRole.kind,
  metadata: { name, labels },
  rules: rules.map(withoutEmpty),
});

/** Binds to the ClusterRole of the same name unless another is given. */
export const clusterRoleBinding = (name: string, subjects: readonly Subject[], roleName = name): ClusterRoleBinding => ({
  apiVersion,
  kind: ClusterRoleBinding.kind,
  metadata: { name, labels },
  roleRef: { apiGroup, kind: ClusterRole.kind, name: roleName },
  subjects: [...subjects],
});

export const role = (namespace: string, name: string, rules: readonly PolicyRule[]): Role => ({
  apiVersion,
  kind: Role.kind,
  metadata: { namespace, name, labels },
  rules: rules.map(withoutEmpty),
});

/** Binds to the Role of the same name, or to a ClusterRole. */
export const roleBinding = (namespace: string, name: string, subjects: readonly Subject[], clusterRoleName?: string): RoleBinding => ({
  apiVersion,
  kind: RoleBinding.kind,
  metadata: { namespace, name, labels },
  roleRef: { apiGroup, kind: clusterRoleName === undefined ? Role.kind : ClusterRole.kind, name: clusterRoleName ?? name },
  subjects: [...subjects],
});

/** API servers do not keep empty lists. */
function withoutEmpty(rule: PolicyRule): PolicyRule {
  return Object.fromEntries(
    Object.entries(rule).filter(([, list]) => ((list as string[] | undefined) ?? []).length > 0),
  ) as unknown as PolicyRule;
}

/** Each once, in an order that does not depend on who came first. */
export function uniqueSubjects(subjects: Iterable<Subject>): Subject[] {
  const byKey = new Map<string, Subject>();
  for (const subject of subjects) byKey.set(subjectKey(subject), subject);
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, subject]) => subject);
}

/** The same people are asked for again and again while one project is compiled. */
const keys = new WeakMap<Subject, string>();

function subjectKey(subject: Subject): string {
  let key = keys.get(subject);
  if (key === undefined) keys.set(subject, (key = `${subject.kind}/${subject.namespace ?? ''}/${subject.name}`));
  return key;
}
