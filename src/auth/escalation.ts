import type { ClusterRole, PolicyRule, Role, RoleRef } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import { forbiddenError, notFoundError } from '../api/status.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../apiserver/admission/admission.ts';
import { goQuote, goQuoteList } from '../util/go-quote.ts';
import { jsonEqual } from '../util/json.ts';
import { compactRules, printRule, uncoveredRules } from './policy-rule.ts';
import { printErrors, privilegedGroup, rbacGroup, type MissingRole, type RbacAuthorizer } from './rbac.ts';
import type { UserInfo } from './user.ts';

const resources = new Set(['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings']);
const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Nobody grants through RBAC what they do not hold themselves. Runs as the last mutating step, so that its refusal comes before the
 * refusals of validation, as with the real server.
 */
export function rbacEscalationPlugin(rbac: RbacAuthorizer): AdmissionPlugin {
  return {
    name: 'RbacEscalation',
    handles: request =>
      request.resource.group === rbacGroup &&
      request.subresource === '' &&
      resources.has(request.resource.resource) &&
      (request.operation === 'CREATE' || request.operation === 'UPDATE'),
    mutate: request => checkEscalation(rbac, request),
  };
}

function checkEscalation(rbac: RbacAuthorizer, request: AdmissionRequest): void {
  const { user, object, oldObject } = request;
  if (!object || user.groups.includes(privilegedGroup)) return;
  const isBinding = request.resource.resource.endsWith('bindings');
  if (!isBinding && mayEscalate(rbac, request)) return;
  if (oldObject && request.operation === 'UPDATE' && changesOnlyGarbageCollection(object, oldObject)) return;

  if (isBinding) checkBinding(rbac, request, object);
  else checkRole(rbac, request, object);
}

function checkRole(rbac: RbacAuthorizer, request: AdmissionRequest, object: KubeObject): void {
  refuseNewRights(rbac, request, (object as Role | ClusterRole).rules ?? []);
  if (request.resource.resource !== 'clusterroles') return;
  if (!hasAggregation(object) && !(request.oldObject && hasAggregation(request.oldObject))) return;
  // An aggregated role can gather anything, so its author must hold everything.
  if (uncoveredRules(rbac.rulesFor(request.user, '').rules, fullAuthority).length > 0)
    throw refusal(request, 'must have cluster-admin privileges to use the aggregationRule');
}

function checkBinding(rbac: RbacAuthorizer, request: AdmissionRequest, object: KubeObject): void {
  const ref = object['roleRef'] as RoleRef;
  if (mayBind(rbac, request.user, ref, request.namespace)) return;
  const rules = rbac.roleRules(ref, request.namespace);
  // The real server reads the role as if on behalf of the binding's URL, and names that resource when it finds none.
  if (!rules) throw notFoundError({ group: rbacGroup, resource: request.resource.resource }, ref.name);
  refuseNewRights(rbac, request, rules);
}

function refuseNewRights(rbac: RbacAuthorizer, request: AdmissionRequest, wanted: readonly PolicyRule[]): void {
  const { rules, missing } = rbac.rulesFor(request.user, request.namespace);
  const lacking = uncoveredRules(rules, wanted);
  if (lacking.length > 0) throw refusal(request, lackingMessage(request, lacking, missing));
}

function lackingMessage({ user, resource }: AdmissionRequest, lacking: readonly PolicyRule[], missing: readonly MissingRole[]): string {
  const lines = [...new Set(compactRules(lacking).map(printRule))].sort();
  const text = `user ${goQuote(user.name)} (groups=${goQuoteList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
  if (missing.length === 0) return text;
  const errors = missing.map(({ name }) => `${resource.resource}.${rbacGroup} ${goQuote(name)} not found`);
  return `${text}; resolution errors: [${printErrors(errors)}]`;
}

function refusal(request: AdmissionRequest, why: string) {
  return forbiddenError({ group: rbacGroup, resource: request.resource.resource }, request.object?.metadata.name ?? '', why);
}

function mayEscalate(rbac: RbacAuthorizer, request: AdmissionRequest): boolean {
  // A POST names nothing in its URL; only a PUT or PATCH does, even when it creates.
  const isPost = request.operation === 'CREATE' && request.options?.kind !== 'PatchOptions' && request.options?.kind !== 'UpdateOptions';
  return rbac.authorize(request.user, {
    isResource: true,
    verb: 'escalate',
    group: rbacGroup,
    version: '*',
    resource: request.resource.resource,
    subresource: '',
    namespace: request.namespace,
    name: isPost ? '' : request.name,
  }).allowed;
}

function mayBind(rbac: RbacAuthorizer, user: UserInfo, ref: RoleRef, namespace: string): boolean {
  if (ref.kind !== 'ClusterRole' && ref.kind !== 'Role') return false;
  return rbac.authorize(user, {
    isResource: true,
    verb: 'bind',
    group: ref.apiGroup ?? '',
    version: '*',
    resource: ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles',
    subresource: '',
    namespace,
    name: ref.name,
  }).allowed;
}

function hasAggregation(object: KubeObject): boolean {
  return ((object as ClusterRole).aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

function changesOnlyGarbageCollection(object: KubeObject, old: KubeObject): boolean {
  const { ownerReferences, finalizers, selfLink, managedFields } = old.metadata;
  return jsonEqual({ ...object, metadata: { ...object.metadata, ownerReferences, finalizers, selfLink, managedFields } }, old);
}
