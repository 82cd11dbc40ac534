import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import { forbiddenError, type StatusError } from '../api/status.ts';
import type { Change, ClusterApi } from '../apiserver/cluster-api.ts';
import { goQuote } from '../util/go-quote.ts';
import { ruleAllows } from './policy-rule.ts';
import type { AccessAttributes, Authorizer, Decision, UserInfo } from './user.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';
export const privilegedGroup = 'system:masters';

/** RBAC over the live objects of a cluster. */
export interface RbacAuthorizer extends Authorizer, Disposable {
  /** Every rule that applies to the user in a namespace ('' for cluster-wide only), and the roles that bindings name in vain. */
  rulesFor(user: UserInfo, namespace: string): ResolvedRules;
  /** The rules behind a reference, undefined when the role is missing. */
  roleRules(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly missing: readonly MissingRole[];
}

export interface MissingRole {
  readonly kind: string;
  readonly name: string;
}

type Subject = NonNullable<ClusterRoleBinding['subjects']>[number];

interface Binding {
  readonly name: string;
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

interface CompiledRole {
  readonly rules: readonly PolicyRule[];
  /** Rules by the resource they name; `*` and `*`/subresource rules are under ''. */
  readonly byResource: ReadonlyMap<string, readonly PolicyRule[]>;
  readonly urls: readonly PolicyRule[];
}

const allowedByPrivilege: Decision = { allowed: true, reason: '' };
const denied: Decision = { allowed: false, reason: '' };

export function rbacAuthorizer(api: ClusterApi): RbacAuthorizer {
  // Made for the first user without the privilege, whom many a cluster never sees.
  let known: ReturnType<typeof rbacIndex> | undefined;
  const subscription = api.subscribe((change: Change) => {
    if (!known || change.resource.group !== rbacGroup) return;
    if (change.type === 'DELETED') known.remove(change.resource.resource, change.namespace, change.name);
    else known.put(change.resource.resource, change.obj);
  });

  return {
    authorize,
    rulesFor,
    roleRules: (ref, namespace) => index().role(ref, namespace)?.rules,
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  };

  function index(): ReturnType<typeof rbacIndex> {
    if (known) return known;
    known = rbacIndex();
    for (const resource of ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'])
      for (const obj of api.peekAll({ group: rbacGroup, resource })) known.put(resource, obj);
    return known;
  }

  function authorize(user: UserInfo, wanted: AccessAttributes): Decision {
    if (user.groups.includes(privilegedGroup)) return allowedByPrivilege;
    const { bindingsOf, role: roleOf } = index();
    const namespace = wanted.isResource ? wanted.namespace : '';
    let missing: MissingRole[] | undefined;
    for (const binding of bindingsOf(user, namespace)) {
      const role = roleOf(binding.roleRef, binding.namespace);
      if (!role) (missing ??= []).push(binding.roleRef);
      else if (roleAllows(role, wanted)) return { allowed: true, reason: `RBAC: allowed by ${describe(binding, user)}` };
    }
    if (!missing) return denied;
    return { allowed: false, reason: `RBAC: ${printErrors(missing.map(printMissing))}` };
  }

  function rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const rules: PolicyRule[] = [];
    const missing: MissingRole[] = [];
    const { bindingsOf, role: roleOf } = index();
    const bindings = [...new Set(bindingsOf(user, namespace))].sort(inListOrder);
    for (const binding of bindings) {
      const role = roleOf(binding.roleRef, binding.namespace);
      if (role) rules.push(...role.rules);
      else missing.push(binding.roleRef);
    }
    return { rules, missing };
  }
}

/** `clusterrole.rbac.authorization.k8s.io "x" not found`: the form of the real authorizer, which reads from listers. */
export function printMissing({ kind, name }: MissingRole): string {
  return `${kind.toLowerCase()}.${rbacGroup} ${goQuote(name)} not found`;
}

/** How Go prints an aggregate of errors: each once, in brackets when there are several. */
export function printErrors(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

const inListOrder = (a: Binding, b: Binding) =>
  a.namespace === b.namespace ? (a.name < b.name ? -1 : 1) : a.namespace === '' ? -1 : b.namespace === '' ? 1 : 0;

function rbacIndex() {
  const roles = new Map<string, CompiledRole>();
  const bindings = new Map<string, Binding>();
  /** Scope ('' or a namespace), then subject, then the bindings that name it. */
  const scopes = new Map<string, Map<string, Set<Binding>>>();

  return { put, remove, role, bindingsOf };

  function put(resource: string, obj: KubeObject): void {
    const namespace = obj.metadata.namespace ?? '';
    const name = obj.metadata.name ?? '';
    if (resource === 'roles' || resource === 'clusterroles') {
      roles.set(key(namespace, name), compileRole((obj as Role | ClusterRole).rules ?? []));
      return;
    }
    if (resource !== 'rolebindings' && resource !== 'clusterrolebindings') return;
    remove(resource, namespace, name);
    const { roleRef, subjects } = obj as unknown as RoleBinding | ClusterRoleBinding;
    const binding: Binding = { name, namespace, roleRef, subjects: subjects ?? [] };
    bindings.set(key(namespace, name), binding);
    let scope = scopes.get(namespace);
    if (!scope) scopes.set(namespace, (scope = new Map()));
    for (const subject of binding.subjects) {
      const id = subjectId(subject, namespace);
      if (id === undefined) continue;
      const holders = scope.get(id);
      if (holders) holders.add(binding);
      else scope.set(id, new Set([binding]));
    }
  }

  function remove(resource: string, namespace: string, name: string): void {
    if (resource === 'roles' || resource === 'clusterroles') {
      roles.delete(key(namespace, name));
      return;
    }
    if (resource !== 'rolebindings' && resource !== 'clusterrolebindings') return;
    const binding = bindings.get(key(namespace, name));
    const scope = scopes.get(namespace);
    if (!binding || !scope) return;
    bindings.delete(key(namespace, name));
    for (const subject of binding.subjects) {
      const id = subjectId(subject, namespace);
      const holders = id === undefined ? undefined : scope.get(id);
      if (id === undefined || !holders) continue;
      holders.delete(binding);
      if (holders.size === 0) scope.delete(id);
    }
    if (scope.size === 0) scopes.delete(namespace);
  }

  function role(ref: RoleRef, namespace: string): CompiledRole | undefined {
    if (ref.kind === 'ClusterRole') return roles.get(key('', ref.name));
    return ref.kind === 'Role' && namespace !== '' ? roles.get(key(namespace, ref.name)) : undefined;
  }

  /** Cluster-wide bindings first. A binding that names the user twice comes twice. */
  function* bindingsOf(user: UserInfo, namespace: string): Generator<Binding> {
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const holders = scopes.get(scope);
      if (!holders) continue;
      yield* holders.get(`u:${user.name}`) ?? [];
      for (const group of user.groups) yield* holders.get(`g:${group}`) ?? [];
    }
  }
}

// Names of objects hold no slash, so the pair is unambiguous.
const key = (namespace: string, name: string) => `${namespace}/${name}`;

function subjectId(subject: Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === 'User') return `u:${subject.name}`;
  if (subject.kind === 'Group') return `g:${subject.name}`;
  const namespace = subject.namespace === undefined || subject.namespace === '' ? bindingNamespace : subject.namespace;
  return subject.kind === 'ServiceAccount' && namespace !== '' ? `u:system:serviceaccount:${namespace}:${subject.name}` : undefined;
}

function compileRole(rules: readonly PolicyRule[]): CompiledRole {
  const byResource = new Map<string, PolicyRule[]>();
  const urls: PolicyRule[] = [];
  for (const rule of rules) {
    for (const resource of new Set((rule.resources ?? []).map(indexKey))) {
      const listed = byResource.get(resource);
      if (listed) listed.push(rule);
      else byResource.set(resource, [rule]);
    }
    if ((rule.nonResourceURLs?.length ?? 0) > 0) urls.push(rule);
  }
  return { rules, byResource, urls };
}

function indexKey(resource: string): string {
  return resource === '*' || resource.startsWith('*/') ? '' : resource;
}

function roleAllows(role: CompiledRole, wanted: AccessAttributes): boolean {
  if (!wanted.isResource) return role.urls.some(rule => ruleAllows(rule, wanted));
  const combined = wanted.subresource === '' ? wanted.resource : `${wanted.resource}/${wanted.subresource}`;
  return (
    (role.byResource.get('')?.some(rule => ruleAllows(rule, wanted)) ?? false) ||
    (role.byResource.get(combined)?.some(rule => ruleAllows(rule, wanted)) ?? false)
  );
}

function describe(binding: Binding, user: UserInfo): string {
  const subject = binding.subjects.find(s => appliesTo(s, binding.namespace, user));
  const kind = binding.namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const name = binding.namespace === '' ? binding.name : `${binding.name}/${binding.namespace}`;
  return `${kind} ${goQuote(name)} of ${binding.roleRef.kind} ${goQuote(binding.roleRef.name)} to ${describeSubject(subject, binding.namespace)}`;
}

function appliesTo(subject: Subject, bindingNamespace: string, user: UserInfo): boolean {
  const id = subjectId(subject, bindingNamespace);
  return id !== undefined && (id === `u:${user.name}` || (id.startsWith('g:') && user.groups.includes(id.slice(2))));
}

function describeSubject(subject: Subject | undefined, bindingNamespace: string): string {
  if (!subject) return '';
  if (subject.kind !== 'ServiceAccount') return `${subject.kind} ${goQuote(subject.name)}`;
  const namespace = subject.namespace === undefined || subject.namespace === '' ? bindingNamespace : subject.namespace;
  return `${subject.kind} ${goQuote(`${subject.name}/${namespace}`)}`;
}

/** The 403 of a request that authorization refused. */
export function forbiddenRequest(user: UserInfo, wanted: AccessAttributes, reason = ''): StatusError {
  const message = withoutHtml(cannot(user, wanted));
  const why = reason === '' ? message : `${message}: ${reason}`;
  if (!wanted.isResource) return forbiddenError({ group: '', resource: '' }, '', why);
  return forbiddenError({ group: wanted.group, resource: wanted.resource }, wanted.name, why);
}

function cannot(user: UserInfo, wanted: AccessAttributes): string {
  const who = `User ${goQuote(user.name)} cannot ${wanted.verb}`;
  if (!wanted.isResource) return `${who} path ${goQuote(wanted.path)}`;
  const resource = wanted.subresource === '' ? wanted.resource : `${wanted.resource}/${wanted.subresource}`;
  const where = wanted.namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(wanted.namespace)}`;
  return `${who} resource ${goQuote(resource)} in API group ${goQuote(wanted.group)} ${where}`;
}

function withoutHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
