import { at, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { ClusterRole, PolicyRule, Role, RoleBinding, RoleRef } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Strategy } from '../../resource.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isDns1123Subdomain, isPathSegmentName } from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor } from '../kind-parts.ts';

type Subject = NonNullable<RoleBinding['subjects']>[number];

const group = 'rbac.authorization.k8s.io';
const common: Strategy = { nameRule: 'path', allowCreateOnUpdate: true };

function validateRule(rule: PolicyRule, isNamespaced: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  if (!rule.verbs?.length) errors.push(required(at.child(path, 'verbs'), 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const urlsPath = at.child(path, 'nonResourceURLs');
    if (isNamespaced) errors.push(invalid(urlsPath, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      errors.push(invalid(urlsPath, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'));
    return errors;
  }
  if (apiGroups.length === 0) errors.push(required(at.child(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  if (resources.length === 0) errors.push(required(at.child(path, 'resources'), 'resource rules must supply at least one resource'));
  return errors;
}

const validateRules = (rules: readonly PolicyRule[] | null | undefined, isNamespaced: boolean): FieldError[] =>
  (rules ?? []).flatMap((rule, i) => validateRule(rule, isNamespaced, at.index('rules', i)));

const validateRole = (obj: KubeObject) => validateRules((obj as unknown as Role).rules, true);

function validateClusterRole(obj: KubeObject, allowInvalidValues: boolean): FieldError[] {
  const role = obj as unknown as ClusterRole;
  const errors = validateRules(role.rules, false);
  if (!role.aggregationRule) return errors;
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = role.aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  for (const [i, selector] of selectors.entries()) {
    const here = at.index(path, i);
    const problems = validateLabelSelector(selector, here);
    errors.push(...(allowInvalidValues ? validateLabelSelector(selector, here, { allowInvalidValues }) : problems));
    if (problems.length > 0) errors.push(invalid(here, null, 'invalid label selector.'));
  }
  return errors;
}

const hasInvalidSelector = (obj: KubeObject) =>
  ((obj as unknown as ClusterRole).aggregationRule?.clusterRoleSelectors ?? []).some(
    selector => validateLabelSelector(selector, '').length > 0,
  );

function validateRoleRef({ apiGroup, kind, name }: RoleRef, kinds: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (apiGroup !== group) errors.push(notSupported('roleRef.apiGroup', apiGroup ?? '', [group]));
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind ?? '', kinds));
  return [...errors, ...(name ? invalidFor('roleRef.name', name, isPathSegmentName(name)) : [required('roleRef.name')])];
}

function validateSubject(subject: Subject, isNamespaced: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { kind, name = '', apiGroup = '', namespace = '' } = subject;
  if (name === '') errors.push(required(at.child(path, 'name')));
  if (kind === 'ServiceAccount') {
    if (name !== '') errors.push(...invalidFor(at.child(path, 'name'), name, isDns1123Subdomain(name)));
    if (apiGroup !== '') errors.push(notSupported(at.child(path, 'apiGroup'), apiGroup, ['']));
    if (!isNamespaced && namespace === '') errors.push(required(at.child(path, 'namespace')));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== group) errors.push(notSupported(at.child(path, 'apiGroup'), apiGroup, [group]));
  } else errors.push(notSupported(at.child(path, 'kind'), kind ?? '', ['ServiceAccount', 'User', 'Group']));
  return errors;
}

const asBinding = (obj: KubeObject) => obj as unknown as RoleBinding;
const noRef: RoleRef = { apiGroup: '', kind: '', name: '' };

function bindingKind(isNamespaced: boolean): BuiltinKind {
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const validate = (obj: KubeObject): FieldError[] => {
    const { roleRef = noRef, subjects } = asBinding(obj);
    return [
      ...validateRoleRef(roleRef, kinds),
      ...(subjects ?? []).flatMap((subject, i) => validateSubject(subject, isNamespaced, at.index('subjects', i))),
    ];
  };
  return {
    setDefaults(obj) {
      const binding = asBinding(obj);
      if (binding.roleRef) binding.roleRef.apiGroup ||= group;
      for (const subject of binding.subjects ?? []) if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= group;
    },
    strategy: {
      ...common,
      validate,
      validateUpdate(obj, old) {
        const next = asBinding(obj).roleRef ?? noRef;
        const last = asBinding(old).roleRef ?? noRef;
        const isSame = next.apiGroup === last.apiGroup && next.kind === last.kind && next.name === last.name;
        const shown = { APIGroup: next.apiGroup, Kind: next.kind, Name: next.name };
        return [...validate(obj), ...(isSame ? [] : [invalid('roleRef', shown, 'cannot change roleRef')])];
      },
    },
  };
}

export const roleKind: BuiltinKind = { strategy: { ...common, validate: validateRole, validateUpdate: validateRole } };
export const clusterRoleKind: BuiltinKind = {
  strategy: {
    ...common,
    validate: obj => validateClusterRole(obj, false),
    validateUpdate: (obj, old) => validateClusterRole(obj, hasInvalidSelector(old)),
  },
};
export const roleBindingKind = bindingKind(true);
export const clusterRoleBindingKind = bindingKind(false);
