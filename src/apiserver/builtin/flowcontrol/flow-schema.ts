import { at, duplicate, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { FlowSchema, FlowSchemaSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, invalidFor, keepMetadata, oneOf, specAndStatus } from '../kind-parts.ts';

type Rule = NonNullable<FlowSchemaSpec['rules']>[number];
type Subject = NonNullable<Rule['subjects']>[number];
type ResourceRule = NonNullable<Rule['resourceRules']>[number];
type UrlRule = NonNullable<Rule['nonResourceRules']>[number];

const specOf = (obj: KubeObject): Partial<FlowSchemaSpec> => (obj as unknown as FlowSchema).spec ?? {};
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const distinguishers = ['ByNamespace', 'ByUser'];

/** Conditions of flow control: only a type is asked for, and no two of one type. */
export function validateFlowConditions(conditions: readonly { type?: string }[] | undefined): FieldError[] {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap(({ type = '' }, i) => {
    const path = at.child(at.index('status.conditions', i), 'type');
    const errors = seen.has(type) ? [duplicate(path, type)] : [];
    seen.add(type);
    return type === '' ? [...errors, required(path)] : errors;
  });
}

function validateSubject(subject: Subject, path: string): FieldError[] {
  const fields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
  const { kind = '' } = subject;
  if (!(kind in fields)) return [notSupported(at.child(path, 'kind'), kind, ['Group', 'ServiceAccount', 'User'])];
  const errors = validateNamedSubject(subject, kind as keyof typeof fields, path);
  for (const [otherKind, field] of Object.entries(fields) as [keyof typeof fields, 'serviceAccount' | 'user' | 'group'][])
    if (otherKind !== kind && subject[field])
      errors.push(forbidden(at.child(path, field), `${field} is forbidden when subject kind is not '${otherKind}'`));
  return errors;
}

function validateNamedSubject(subject: Subject, kind: 'ServiceAccount' | 'User' | 'Group', path: string): FieldError[] {
  const field = kind === 'ServiceAccount' ? 'serviceAccount' : kind === 'User' ? 'user' : 'group';
  const here = at.child(path, field);
  const named = subject[field];
  if (!named) return [required(here, `${field} is required when subject kind is '${kind}'`)];
  const errors: FieldError[] = [];
  if (!named.name) errors.push(required(at.child(here, 'name')));
  const account = subject.serviceAccount;
  if (kind !== 'ServiceAccount' || !account) return errors;
  if (account.name && account.name !== '*')
    errors.push(...invalidFor(at.child(here, 'name'), account.name, isDns1123Subdomain(account.name)));
  if (account.namespace) errors.push(...invalidFor(at.child(here, 'namespace'), account.namespace, isDns1123Label(account.namespace)));
  else errors.push(required(at.child(here, 'namespace'), 'must specify namespace for service account'));
  return errors;
}

function validateVerbs(list: readonly string[], path: string): FieldError[] {
  if (list.length === 0) return [required(path, 'verbs must contain at least one value')];
  if (list.includes('*')) return list.length > 1 ? [invalid(path, list, "if '*' is present, must not specify other verbs")] : [];
  return list.every(verb => verbs.includes(verb)) ? [] : [notSupported(path, list, verbs)];
}

function urlProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const stars = path.split('*').length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function validateUrlRule(rule: UrlRule, path: string): FieldError[] {
  const urls = rule.nonResourceURLs ?? [];
  const urlsPath = at.child(path, 'nonResourceURLs');
  const errors = validateVerbs(rule.verbs ?? [], at.child(path, 'verbs'));
  if (urls.length === 0) errors.push(required(urlsPath, 'nonResourceURLs must contain at least one value'));
  else if (urls.includes('*')) {
    if (urls.length > 1) errors.push(invalid(urlsPath, urls, "if '*' is present, must not specify other non-resource URLs"));
  } else
    for (const [i, url] of urls.entries()) {
      const problem = urlProblem(url);
      if (problem !== undefined) errors.push(invalid(at.index(urlsPath, i), url, problem));
    }
  return errors;
}

function validateResourceRule(rule: ResourceRule, path: string): FieldError[] {
  const errors = validateVerbs(rule.verbs ?? [], at.child(path, 'verbs'));
  for (const [field, one, others] of [
    ['apiGroups', 'api group', 'api groups'],
    ['resources', 'resource', 'resources'],
  ] as const) {
    const list = rule[field] ?? [];
    if (list.length === 0) errors.push(required(at.child(path, field), `resource rules must supply at least one ${one}`));
    else if (list.length > 1 && list.includes('*'))
      errors.push(invalid(at.child(path, field), list, `if '*' is present, must not specify other ${others}`));
  }
  const namespaces = rule.namespaces ?? [];
  const namespacesPath = at.child(path, 'namespaces');
  if (namespaces.length === 0 && !rule.clusterScope)
    errors.push(required(namespacesPath, 'resource rules that are not cluster scoped must supply at least one namespace'));
  else if (namespaces.includes('*')) {
    if (namespaces.length > 1) errors.push(invalid(namespacesPath, namespaces, "if '*' is present, must not specify other namespaces"));
  } else
    for (const [i, name] of namespaces.entries())
      for (const problem of isDns1123Label(name))
        errors.push(invalid(at.index(namespacesPath, i), name, `each member of this list must be '*' or a DNS-1123 label; ${problem}`));
  return errors;
}

function validateRule(rule: Rule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  if (subjects.length === 0) errors.push(required(at.child(path, 'subjects'), 'subjects must contain at least one value'));
  for (const [i, subject] of subjects.entries()) errors.push(...validateSubject(subject, at.index(at.child(path, 'subjects'), i)));
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  for (const [i, item] of resourceRules.entries()) errors.push(...validateResourceRule(item, at.index(at.child(path, 'resourceRules'), i)));
  for (const [i, item] of nonResourceRules.entries())
    errors.push(...validateUrlRule(item, at.index(at.child(path, 'nonResourceRules'), i)));
  return errors;
}

function validateSchema(obj: KubeObject): FieldError[] {
  const spec = specOf(obj);
  const errors: FieldError[] = [];
  const precedence = spec.matchingPrecedence ?? 0;
  const path = 'spec.matchingPrecedence';
  if (precedence <= 0) errors.push(invalid(path, precedence, 'must be a positive value'));
  if (precedence > 10000) errors.push(invalid(path, precedence, 'must not be greater than 10000'));
  if (precedence === 1 && obj.metadata.name !== 'exempt')
    errors.push(invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  const method = spec.distinguisherMethod;
  if (method && !oneOf(method.type, distinguishers))
    errors.push(notSupported('spec.distinguisherMethod.type', { Type: method.type }, distinguishers));
  const level = spec.priorityLevelConfiguration?.name ?? '';
  const levelPath = 'spec.priorityLevelConfiguration.name';
  errors.push(
    ...(level === '' ? [required(levelPath, 'must reference a priority level')] : invalidFor(levelPath, level, isDns1123Subdomain(level))),
  );
  errors.push(...(spec.rules ?? []).flatMap((rule, i) => validateRule(rule, at.index('spec.rules', i))));
  return [...errors, ...validateStatus(obj)];
}

const validateStatus = (obj: KubeObject) => validateFlowConditions((obj as unknown as FlowSchema).status?.conditions);

export const flowSchemaKind: BuiltinKind = {
  setDefaults(obj) {
    specOf(obj).matchingPrecedence ||= 1000;
  },
  strategy: {
    ...specAndStatus(),
    hasGeneration: true,
    resetFields: { '': [['status']], status: [['metadata'], ['spec']] },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      keepMetadata(obj, old);
    },
    validate: validateSchema,
    validateUpdate: validateSchema,
    validateStatusUpdate: validateStatus,
  },
};
