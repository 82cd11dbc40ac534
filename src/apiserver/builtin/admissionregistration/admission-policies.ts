import { at, duplicate, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type {
  MatchResources,
  Mutation,
  MutatingAdmissionPolicySpec,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { CelType } from '../../../cel/cel-type.ts';
import { validateConditions } from '../../validation/conditions.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { byteLength, isDns1035Label, isDns1123Subdomain, isPathSegmentName, isQualifiedName } from '../../../api/names.ts';
import { semanticEqual } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, invalidFor, keepMetadata, oneOf, specAndStatus } from '../kind-parts.ts';
import { checkExpression, validateMatchConditions, validateVariables, type ExpressionScope } from './policy-expressions.ts';
import { failurePolicies, matchPolicies, reinvocationPolicies, validateRuleWithOperations } from './webhook-rules.ts';

type PolicySpec = Partial<ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec>;
interface BindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions?: string[];
}

const policyOf = (obj: KubeObject): PolicySpec => (obj['spec'] ?? {}) as PolicySpec;
const bindingOf = (obj: KubeObject): BindingSpec => (obj['spec'] ?? {}) as BindingSpec;
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const versionPath = at.child(path, 'apiVersion');
  const parts = apiVersion.split('/');
  if (apiVersion === '') errors.push(required(versionPath));
  else if (parts.length > 2) errors.push(invalid(versionPath, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const version = parts.at(-1) ?? '';
    const group = parts.length === 2 ? (parts[0] ?? '') : '';
    const groupProblems = group === '' ? [] : isDns1123Subdomain(group);
    if (groupProblems.length > 0) errors.push(invalid(versionPath, group, groupProblems.join(',')));
    const versionProblems = isDns1035Label(version);
    if (version === '') errors.push(invalid(versionPath, apiVersion, 'version must be specified'));
    else if (versionProblems.length > 0) errors.push(invalid(versionPath, version, versionProblems.join(',')));
  }
  const kindProblems = isDns1035Label(kind.toLowerCase());
  if (kind === '') errors.push(required(at.child(path, 'kind')));
  else if (kindProblems.length > 0)
    errors.push(invalid(at.child(path, 'kind'), kind, `may have mixed case, but should otherwise match: ${kindProblems.join(',')}`));
  return errors;
}

function validateMatchResources(match: MatchResources, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (match.matchPolicy === undefined) errors.push(required(at.child(path, 'matchPolicy')));
  else if (!oneOf(match.matchPolicy, matchPolicies))
    errors.push(notSupported(at.child(path, 'matchPolicy'), match.matchPolicy, matchPolicies));
  for (const field of ['namespaceSelector', 'objectSelector'] as const)
    errors.push(...(match[field] ? validateLabelSelector(match[field], at.child(path, field)) : [required(at.child(path, field))]));
  for (const field of ['resourceRules', 'excludeResourceRules'] as const)
    for (const [i, rule] of (match[field] ?? []).entries()) {
      const here = at.index(at.child(path, field), i);
      const names = rule.resourceNames ?? [];
      for (const [j, name] of names.entries()) {
        const namePath = at.index(at.child(here, 'resourceNames'), j);
        errors.push(...invalidFor(namePath, name, isPathSegmentName(name)));
        if (names.indexOf(name) < j) errors.push(duplicate(namePath, name));
      }
      errors.push(...validateRuleWithOperations(rule, here));
    }
  return errors;
}

const validateMutatingOperations = (match: MatchResources | undefined, path: string): FieldError[] =>
  (match?.resourceRules ?? []).flatMap(rule =>
    (rule.operations ?? [])
      .filter(operation => !mutatingOperations.includes(operation))
      .map(operation => notSupported(at.child(path, 'resourceRules', 'operations'), operation, mutatingOperations)),
  );

// What both kinds of policy share; `declared` gathers the types of the policy's variables.
function validatePolicyHead(
  spec: PolicySpec,
  isMutating: boolean,
  old: PolicySpec | undefined,
  declared: Record<string, CelType>,
): FieldError[] {
  const errors: FieldError[] = [];
  const hasParams = spec.paramKind !== undefined;
  if (spec.failurePolicy === undefined) errors.push(required('spec.failurePolicy'));
  else if (!oneOf(spec.failurePolicy, failurePolicies))
    errors.push(notSupported('spec.failurePolicy', spec.failurePolicy, failurePolicies));
  if (spec.paramKind) errors.push(...validateParamKind(spec.paramKind, 'spec.paramKind'));
  const match = spec.matchConstraints;
  const matchPath = 'spec.matchConstraints';
  if (!match) errors.push(required(matchPath));
  else {
    errors.push(...validateMatchResources(match, matchPath));
    if (!match.resourceRules?.length) errors.push(required(at.child(matchPath, 'resourceRules')));
    if (isMutating) errors.push(...validateMutatingOperations(match, matchPath));
  }
  const isUntouched = old && semanticEqual(old.paramKind, spec.paramKind) && semanticEqual(old.matchConditions, spec.matchConditions);
  if (!isUntouched) errors.push(...validateMatchConditions(spec.matchConditions ?? [], 'spec.matchConditions', hasParams));
  return [...errors, ...validateVariables(spec.variables ?? [], 'spec.variables', hasParams, declared)];
}

function validateValidation(validation: Validation, path: string, scope: ExpressionScope): FieldError[] {
  const errors: FieldError[] = [];
  const { expression = '', message = '', messageExpression = '', reason } = validation;
  if (expression.trim() === '') errors.push(required(at.child(path, 'expression'), 'expression is not specified'));
  else errors.push(...checkExpression(expression, at.child(path, 'expression'), ['bool'], scope).errors);
  const mustSaySomething = 'must be non-empty if specified';
  const expressionPath = at.child(path, 'messageExpression');
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(invalid(expressionPath, messageExpression, mustSaySomething));
  else if (messageExpression !== '')
    errors.push(...checkExpression(messageExpression, expressionPath, ['string'], { ...scope, hasAuthorizer: false }).errors);
  if (message !== '' && message.trim() === '') errors.push(invalid(at.child(path, 'message'), message, mustSaySomething));
  else if (/[\n\r]/.test(message.trim())) errors.push(invalid(at.child(path, 'message'), message, 'must not contain line breaks'));
  const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
  if (reason !== undefined && !oneOf(reason, reasons)) errors.push(notSupported(at.child(path, 'reason'), reason, reasons));
  return errors;
}

function validateAuditAnnotations(obj: KubeObject, spec: PolicySpec, scope: ExpressionScope): FieldError[] {
  const errors: FieldError[] = [];
  const path = 'spec.auditAnnotations';
  const annotations = spec.auditAnnotations ?? [];
  const keys = new Set<string>();
  const printed = annotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }));
  if (annotations.length > 20) errors.push(invalid(path, printed, 'must not have more than 20 auditAnnotations'));
  for (const [i, { key = '', valueExpression = '' }] of annotations.entries()) {
    const here = at.index(path, i);
    const name = obj.metadata.name ?? '';
    if (name === '') errors.push(invalid(at.child(here, 'key'), key, 'requires metadata.name be non-empty'));
    else errors.push(...invalidFor(at.child(here, 'key'), `${name}/${key}`, isQualifiedName(`${name}/${key}`)));
    const valuePath = at.child(here, 'valueExpression');
    const trimmed = valueExpression.trim();
    if (trimmed === '') errors.push(required(valuePath, 'valueExpression is not specified'));
    else if (byteLength(trimmed) > 5120) errors.push(required(valuePath, 'must not exceed 5120 bytes in length'));
    else errors.push(...checkExpression(trimmed, valuePath, ['string', 'null_type'], scope).errors);
    if (keys.has(key)) errors.push(duplicate(at.child(here, 'key'), key));
    keys.add(key);
  }
  return errors;
}

function validateValidatingPolicy(obj: KubeObject, old?: KubeObject): FieldError[] {
  const spec = policyOf(obj);
  const declared: Record<string, CelType> = {};
  const errors = validatePolicyHead(spec, false, old && policyOf(old), declared);
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    return [...errors, required('spec.validations', why), required('spec.auditAnnotations', why)];
  }
  const scope: ExpressionScope = { hasParams: spec.paramKind !== undefined, ...(spec.variables?.length && { variables: declared }) };
  return [
    ...errors,
    ...validations.flatMap((validation, i) => validateValidation(validation, at.index('spec.validations', i), scope)),
    ...validateAuditAnnotations(obj, spec, scope),
  ];
}

function validateMutation(mutation: Mutation, path: string, scope: ExpressionScope): FieldError[] {
  const types = ['ApplyConfiguration', 'JSONPatch'];
  const type = mutation.patchType ?? '';
  if (type === '') return [required(at.child(path, 'patchType'))];
  if (!oneOf(type, types)) return [notSupported(at.child(path, 'patchType'), type, types)];
  const [own, other] =
    type === 'JSONPatch' ? (['jsonPatch', 'applyConfiguration'] as const) : (['applyConfiguration', 'jsonPatch'] as const);
  const errors: FieldError[] = [];
  const expression = mutation[own]?.expression?.trim() ?? '';
  const expressionPath = at.child(path, own, 'expression');
  if (!mutation[own]) errors.push(required(at.child(path, own), `must be specified when patchType is ${type}`));
  else if (expression === '') errors.push(required(expressionPath));
  else errors.push(...checkExpression(expression, expressionPath, [type === 'JSONPatch' ? 'list(JSONPatch)' : 'Object'], scope).errors);
  if (mutation[other]) errors.push(invalid(at.child(path, other), `{${other}}`, `must not be specified when patchType is ${type}`));
  return errors;
}

function validateMutatingPolicy(obj: KubeObject, old?: KubeObject): FieldError[] {
  const spec = policyOf(obj);
  const declared: Record<string, CelType> = {};
  const errors = validatePolicyHead(spec, true, old && policyOf(old), declared);
  const scope: ExpressionScope = { hasParams: spec.paramKind !== undefined, variables: declared, allowObjects: true };
  const mutations = spec.mutations ?? [];
  if (mutations.length === 0) errors.push(required('spec.mutations', 'mutations must contain at least one item'));
  errors.push(...mutations.flatMap((mutation, i) => validateMutation(mutation, at.index('spec.mutations', i), scope)));
  const policy = spec.reinvocationPolicy ?? '';
  if (policy === '') errors.push(required('spec.reinvocationPolicy'));
  else if (!oneOf(policy, reinvocationPolicies)) errors.push(notSupported('spec.reinvocationPolicy', policy, reinvocationPolicies));
  return errors;
}

function validateParamRef(ref: ParamRef | undefined, path: string): FieldError[] {
  if (!ref) return [];
  const errors: FieldError[] = [];
  const { name = '', selector, parameterNotFoundAction: action = '' } = ref;
  const exclusive = 'name and selector are mutually exclusive';
  if (name !== '') {
    errors.push(...invalidFor(at.child(path, 'name'), name, isPathSegmentName(name)));
    if (selector) errors.push(forbidden(at.child(path, 'name'), exclusive));
  }
  errors.push(...validateLabelSelector(selector, at.child(path, 'selector')));
  if (selector && name !== '') errors.push(forbidden(at.child(path, 'selector'), exclusive));
  if (name === '' && !selector) errors.push(required(path, 'one of name or selector must be specified'));
  if (action === '') errors.push(required(at.child(path, 'parameterNotFoundAction')));
  else if (!oneOf(action, ['Deny', 'Allow']))
    errors.push(notSupported(at.child(path, 'parameterNotFoundAction'), action, ['Deny', 'Allow']));
  return errors;
}

function validateActions(actions: readonly string[], path: string): FieldError[] {
  const known = ['Audit', 'Deny', 'Warn'];
  const errors: FieldError[] = [];
  for (const [i, action] of actions.entries()) {
    if (!oneOf(action, known)) errors.push(notSupported(at.index(path, i), action, known));
    if (actions.indexOf(action) < i) errors.push(duplicate(at.index(path, i), action));
  }
  if (actions.includes('Deny') && actions.includes('Warn'))
    errors.push(
      invalid(
        path,
        actions,
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    );
  if (actions.length === 0) errors.push(required(path, 'at least one validation action is required'));
  return errors;
}

function validateBinding(obj: KubeObject, isMutating: boolean): FieldError[] {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = bindingOf(obj);
  return [
    ...(policyName === '' ? [required('spec.policyName')] : invalidFor('spec.policyName', policyName, isDns1123Subdomain(policyName))),
    ...validateParamRef(paramRef, 'spec.paramRef'),
    ...(matchResources ? validateMatchResources(matchResources, 'spec.matchResources') : []),
    ...(isMutating
      ? validateMutatingOperations(matchResources, 'spec.matchResources')
      : validateActions(validationActions, 'spec.validationActions')),
  ];
}

function validatePolicyStatus(obj: KubeObject): FieldError[] {
  const { status } = obj as unknown as ValidatingAdmissionPolicy;
  const errors = (status?.typeChecking?.expressionWarnings ?? []).flatMap(({ warning, fieldRef }, i) => {
    const path = at.index('status.typeChecking.expressionWarnings', i);
    return [...(warning ? [] : [required(at.child(path, 'warning'))]), ...(fieldRef?.trim() ? [] : [required(at.child(path, 'fieldRef'))])];
  });
  return [...errors, ...validateConditions(status?.conditions, 'status.conditions')];
}

function setMatchDefaults(match: MatchResources | undefined): void {
  if (!match) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}

const setPolicyDefaults = (obj: KubeObject): void => {
  const spec = policyOf(obj);
  spec.failurePolicy ??= 'Fail';
  setMatchDefaults(spec.matchConstraints);
};

export const validatingAdmissionPolicyKind: BuiltinKind = {
  setDefaults: setPolicyDefaults,
  strategy: {
    ...specAndStatus(),
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    resetFields: { '': [['status']], status: [['metadata'], ['spec']] },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      keepMetadata(obj, old);
    },
    validate: obj => validateValidatingPolicy(obj),
    validateUpdate: (obj, old) => validateValidatingPolicy(obj, old),
    validateStatusUpdate: validatePolicyStatus,
  },
};

export const mutatingAdmissionPolicyKind: BuiltinKind = {
  setDefaults: setPolicyDefaults,
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    validate: obj => validateMutatingPolicy(obj),
    validateUpdate: (obj, old) => validateMutatingPolicy(obj, old),
  },
};

const bindingKind = (isMutating: boolean): BuiltinKind => ({
  setDefaults: obj => setMatchDefaults(bindingOf(obj).matchResources),
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    validate: obj => validateBinding(obj, isMutating),
    validateUpdate: obj => validateBinding(obj, isMutating),
  },
});

export const validatingAdmissionPolicyBindingKind = bindingKind(false);
export const mutatingAdmissionPolicyBindingKind = bindingKind(true);
