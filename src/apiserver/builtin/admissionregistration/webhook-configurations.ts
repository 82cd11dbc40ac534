import { at, duplicate, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { MutatingWebhook, MutatingWebhookConfiguration } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isDns1035Label, isDns1123Subdomain } from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';
import { validateMatchConditions } from './policy-expressions.ts';
import { failurePolicies, matchPolicies, reinvocationPolicies, validateClientConfig, validateRuleWithOperations } from './webhook-rules.ts';

// A mutating webhook has all fields of a validating one, and a reinvocation policy.
type Webhook = MutatingWebhook;

const webhooksOf = (obj: KubeObject): Webhook[] => (obj as unknown as MutatingWebhookConfiguration).webhooks ?? [];
const reviewVersions = ['v1', 'v1beta1'];
const allSideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const noSideEffects = ['None', 'NoneOnDryRun'];

interface Leniency {
  readonly skipMatchConditions: boolean;
  readonly allowSideEffects: boolean;
  readonly allowUnknownReviewVersions: boolean;
  readonly allowDuplicateNames: boolean;
  readonly allowInvalidValues: boolean;
}

const strict: Leniency = {
  skipMatchConditions: false,
  allowSideEffects: false,
  allowUnknownReviewVersions: false,
  allowDuplicateNames: false,
  allowInvalidValues: false,
};

/** A name of three labels or more, such as `check.example.com`. */
function validateFullyQualifiedName(path: string, name: string): FieldError[] {
  if (name === '') return [required(path)];
  const problems = isDns1123Subdomain(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  return name.split('.').length < 3 ? [invalid(path, name, 'should be a domain with at least three segments separated by dots')] : [];
}

function validateReviewVersions(versions: readonly string[], allowUnknown: boolean, path: string): FieldError[] {
  const known = reviewVersions.join(', ');
  if (versions.length === 0) return [required(path, `must specify one of ${known}`)];
  const errors = versions.flatMap((version, i) => {
    if (versions.indexOf(version) < i) return [invalid(at.index(path, i), version, 'duplicate version')];
    return invalidFor(at.index(path, i), version, isDns1035Label(version));
  });
  if (!allowUnknown && !versions.some(version => reviewVersions.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${known}`));
  return errors;
}

function validateWebhook(hook: Webhook, path: string, leniency: Leniency): FieldError[] {
  const errors = validateFullyQualifiedName(at.child(path, 'name'), hook.name ?? '');
  for (const [i, rule] of (hook.rules ?? []).entries())
    errors.push(...validateRuleWithOperations(rule, at.index(at.child(path, 'rules'), i)));
  const check = (field: 'failurePolicy' | 'matchPolicy' | 'reinvocationPolicy', allowed: readonly string[]) => {
    const value = hook[field];
    if (value !== undefined && !oneOf(value, allowed)) errors.push(notSupported(at.child(path, field), value, allowed));
  };
  check('failurePolicy', failurePolicies);
  check('matchPolicy', matchPolicies);
  const sideEffects = leniency.allowSideEffects ? allSideEffects : noSideEffects;
  if (!hook.sideEffects) errors.push(required(at.child(path, 'sideEffects'), `must specify one of ${sideEffects.join(', ')}`));
  else if (!oneOf(hook.sideEffects, sideEffects)) errors.push(notSupported(at.child(path, 'sideEffects'), hook.sideEffects, sideEffects));
  const seconds = hook.timeoutSeconds;
  if (seconds !== undefined && (seconds > 30 || seconds < 1))
    errors.push(invalid(at.child(path, 'timeoutSeconds'), seconds, 'the timeout value must be between 1 and 30 seconds'));
  for (const field of ['namespaceSelector', 'objectSelector'] as const)
    errors.push(...validateLabelSelector(hook[field], at.child(path, field), { allowInvalidValues: leniency.allowInvalidValues }));
  check('reinvocationPolicy', reinvocationPolicies);
  errors.push(...validateClientConfig(hook.clientConfig ?? {}, at.child(path, 'clientConfig')));
  if (!leniency.skipMatchConditions)
    errors.push(...validateMatchConditions(hook.matchConditions ?? [], at.child(path, 'matchConditions'), false));
  return errors;
}

function validateWebhooks(obj: KubeObject, leniency: Leniency): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [i, hook] of webhooksOf(obj).entries()) {
    const path = at.index('webhooks', i);
    errors.push(...validateWebhook(hook, path, leniency));
    errors.push(
      ...validateReviewVersions(
        hook.admissionReviewVersions ?? [],
        leniency.allowUnknownReviewVersions,
        at.child(path, 'admissionReviewVersions'),
      ),
    );
    if (hook.name && names.has(hook.name) && !leniency.allowDuplicateNames) errors.push(duplicate(at.child(path, 'name'), hook.name));
    names.add(hook.name);
  }
  return errors;
}

// What an old object was allowed to have, its updates may keep.
function leniencyFor(obj: KubeObject, old: KubeObject): Leniency {
  const next = webhooksOf(obj);
  const last = webhooksOf(old);
  const names = last.map(hook => hook.name);
  return {
    skipMatchConditions:
      next.length === last.length && last.every((hook, i) => jsonEqual(hook.matchConditions ?? [], next[i]?.matchConditions ?? [])),
    allowSideEffects: last.some(hook => !oneOf(hook.sideEffects, noSideEffects)),
    allowUnknownReviewVersions: last.some(
      ({ admissionReviewVersions: versions }) => versions?.length > 0 && !versions.some(version => reviewVersions.includes(version)),
    ),
    allowDuplicateNames: new Set(names).size < names.length,
    allowInvalidValues: last.some(
      hook => validateLabelSelector(hook.namespaceSelector, '').length + validateLabelSelector(hook.objectSelector, '').length > 0,
    ),
  };
}

function configurationKind(isMutating: boolean): BuiltinKind {
  return {
    setDefaults(obj) {
      for (const hook of webhooksOf(obj)) {
        hook.failurePolicy ??= 'Fail';
        hook.matchPolicy ??= 'Equivalent';
        hook.namespaceSelector ??= {};
        hook.objectSelector ??= {};
        hook.timeoutSeconds ??= 10;
        if (isMutating) hook.reinvocationPolicy ??= 'Never';
        for (const rule of hook.rules ?? []) rule.scope ??= '*';
        if (hook.clientConfig?.service) hook.clientConfig.service.port ??= 443;
      }
    },
    strategy: {
      hasGeneration: true,
      allowUnconditionalUpdate: false,
      validate: obj => validateWebhooks(obj, strict),
      validateUpdate: (obj, old) => validateWebhooks(obj, leniencyFor(obj, old)),
    },
  };
}

export const mutatingWebhookConfigurationKind = configurationKind(true);
export const validatingWebhookConfigurationKind = configurationKind(false);
