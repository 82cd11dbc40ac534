import { at, invalid, required, type FieldError } from '../../../api/field-error.ts';
import type { ResourceQuota, ResourceQuotaSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { fieldIsImmutable } from '../../validation/object-meta.ts';
import { compareQuantities } from '../../validation/quantities.ts';
import {
  isStandardQuotaResource,
  validateQuotaResourceName,
  validateResourceQuantityValue,
  type ResourceList,
} from '../../validation/resource-list.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { specAndStatus } from '../kind-parts.ts';

const asQuota = (obj: KubeObject) => obj as unknown as ResourceQuota;

const podScopes = ['Terminating', 'NotTerminating', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity'];
const scopes = [...podScopes, 'BestEffort', 'VolumeAttributesClass'];
const podResources = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];

function scopeFits(scope: string, resource: string): boolean {
  if (podScopes.includes(scope)) return podResources.includes(resource);
  if (scope === 'BestEffort') return resource === 'pods';
  if (scope === 'VolumeAttributesClass') return resource === 'persistentvolumeclaims' || resource === 'requests.storage';
  return true;
}

const misfits = (scope: string, { hard = {} }: ResourceQuotaSpec) =>
  Object.keys(hard).filter(name => isStandardQuotaResource(name) && !scopeFits(scope, name));
const conflicts = (named: readonly string[]) =>
  [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ].filter(pair => pair.every(scope => named.includes(scope)));

function validateScopes(spec: ResourceQuotaSpec): FieldError[] {
  const errors: FieldError[] = [];
  const path = 'spec.scopes';
  for (const scope of spec.scopes ?? []) {
    if (!scopes.includes(scope)) errors.push(invalid(path, spec.scopes, 'unsupported scope'));
    for (const _ of misfits(scope, spec)) errors.push(invalid(path, spec.scopes, 'unsupported scope applied to resource'));
  }
  for (const _ of conflicts(spec.scopes ?? [])) errors.push(invalid(path, spec.scopes, 'conflicting scopes'));
  return errors;
}

// Go prints the internal struct of a scope selector with its own field names.
const printedSelector = (spec: ResourceQuotaSpec) => ({
  MatchExpressions: (spec.scopeSelector?.matchExpressions ?? []).map(e => ({
    ScopeName: e.scopeName,
    Operator: e.operator,
    Values: e.values ?? null,
  })),
});

function validateScopeSelector(spec: ResourceQuotaSpec): FieldError[] {
  const errors: FieldError[] = [];
  const path = 'spec.scopeSelector.matchExpressions';
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  for (const { scopeName, operator, values = [] } of expressions) {
    if (!scopes.includes(scopeName)) errors.push(invalid(at.child(path, 'scopeName'), scopeName, 'unsupported scope'));
    for (const _ of misfits(scopeName, spec)) errors.push(invalid(path, printedSelector(spec), 'unsupported scope applied to resource'));
    if (scopes.includes(scopeName) && !['PriorityClass', 'VolumeAttributesClass'].includes(scopeName) && operator !== 'Exists')
      errors.push(
        invalid(
          at.child(path, 'operator'),
          operator,
          "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      );
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(required(at.child(path, 'values'), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(
          invalid(at.child(path, 'values'), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"),
        );
    } else errors.push(invalid(at.child(path, 'operator'), operator, 'not a valid selector operator'));
  }
  const named = expressions.map(e => e.scopeName);
  for (const _ of conflicts(named)) errors.push(invalid(path, spec.scopes, 'conflicting scopes'));
  return errors;
}

function validateAmounts(list: ResourceList | undefined, path: string): FieldError[] {
  return Object.entries(list ?? {}).flatMap(([name, amount]) => [
    ...validateQuotaResourceName(name, at.key(path, name)),
    ...validateResourceQuantityValue(name, amount, at.key(path, name)),
  ]);
}

function validateSpec(obj: KubeObject): FieldError[] {
  const spec = asQuota(obj).spec ?? {};
  return [...validateAmounts(spec.hard, 'spec.hard'), ...validateScopes(spec), ...validateScopeSelector(spec)];
}

function validateStatus(obj: KubeObject): FieldError[] {
  const { hard, used } = asQuota(obj).status ?? {};
  return [...validateAmounts(hard, 'status.hard'), ...validateAmounts(used, 'status.used')];
}

function warnings(obj: KubeObject): string[] {
  const hard = asQuota(obj).spec?.hard ?? {};
  const found: string[] = [];
  for (const resource of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const short = (resource === 'cpu' || resource === 'memory') && hard[`requests.${resource}`] === undefined;
    const requestName = short ? resource : `requests.${resource}`;
    const request = hard[requestName];
    const limit = hard[`limits.${resource}`];
    if (request !== undefined && limit !== undefined && compareQuantities(request, limit) > 0)
      found.push(`ResourceQuota ${requestName} (${request}) should be less than limits.${resource} (${limit})`);
  }
  return found;
}

export const resourceQuotaKind: BuiltinKind = {
  strategy: {
    ...specAndStatus(),
    returnsDeletedObject: true,
    validate: obj => [...validateSpec(obj), ...validateStatus(obj)],
    validateUpdate(obj, old) {
      const next = asQuota(obj).spec?.scopes;
      const names = (list: readonly string[] | undefined) => [...new Set(list)].sort().join();
      const changed = names(next) !== names(asQuota(old).spec?.scopes);
      return [...validateSpec(obj), ...(changed ? [invalid('spec.scopes', next, fieldIsImmutable)] : [])];
    },
    validateStatusUpdate: validateStatus,
    warningsOnCreate: warnings,
  },
};
