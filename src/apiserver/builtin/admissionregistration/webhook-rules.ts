import { at, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { AdmissionregistrationV1WebhookClientConfig, RuleWithOperations } from '../../../api/kubernetes.ts';
import { isDns1123Subdomain, isValidPortNum } from '../../../api/names.ts';
import { oneOf } from '../kind-parts.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

export const failurePolicies = ['Fail', 'Ignore'];
export const matchPolicies = ['Equivalent', 'Exact'];
export const reinvocationPolicies = ['IfNeeded', 'Never'];

export function validateRuleWithOperations(rule: RuleWithOperations, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const listed = rule.operations ?? [];
  const operationsPath = at.child(path, 'operations');
  if (listed.length === 0) errors.push(required(operationsPath));
  if (listed.length > 1 && listed.includes('*'))
    errors.push(invalid(operationsPath, listed, "if '*' is present, must not specify other operations"));
  for (const [i, operation] of listed.entries())
    if (!oneOf(operation, operations)) errors.push(notSupported(at.index(operationsPath, i), operation, operations));

  for (const [field, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = rule[field] ?? [];
    if (values.length === 0) errors.push(required(at.child(path, field)));
    if (values.length > 1 && values.includes('*'))
      errors.push(invalid(at.child(path, field), values, `if '*' is present, must not specify other ${what}`));
  }
  for (const [i, version] of (rule.apiVersions ?? []).entries())
    if (version === '') errors.push(required(at.index(at.child(path, 'apiVersions'), i)));
  errors.push(...validateResources(rule.resources ?? [], at.child(path, 'resources')));
  if (rule.scope !== undefined && !oneOf(rule.scope, scopes)) errors.push(notSupported(at.child(path, 'scope'), rule.scope, scopes));
  return errors;
}

function validateResources(resources: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (resources.length === 0) errors.push(required(path));
  const anySubresource = new Set<string>();
  const anyResource = new Set<string>();
  let hasPlainResource = false;
  for (const [i, entry] of resources.entries()) {
    const here = at.index(path, i);
    if (entry === '') {
      errors.push(required(here));
      continue;
    }
    const slash = entry.indexOf('/');
    if (slash < 0) {
      hasPlainResource = entry !== '*';
      continue;
    }
    const resource = entry.slice(0, slash);
    const subresource = entry.slice(slash + 1);
    if (anySubresource.has(resource)) errors.push(invalid(here, entry, `if '${resource}/*' is present, must not specify ${entry}`));
    if (anyResource.has(subresource)) errors.push(invalid(here, entry, `if '*/${subresource}' is present, must not specify ${entry}`));
    if (subresource === '*') anySubresource.add(resource);
    if (resource === '*') anyResource.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && hasPlainResource)
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}

export function validateClientConfig(config: AdmissionregistrationV1WebhookClientConfig, path: string): FieldError[] {
  const { url, service } = config;
  if ((url === undefined) === (service === undefined)) return [required(path, 'exactly one of url or service is required')];
  if (url !== undefined) return validateWebhookUrl(url, at.child(path, 'url'));
  if (!service) return [];
  // The server checks name and namespace in each other's place.
  return validateWebhookService({ ...service, name: service.namespace, namespace: service.name }, at.child(path, 'service'));
}

function validateWebhookUrl(text: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const errors: FieldError[] = [];
  const [, scheme = '', , authority = '', , query = '', fragment = ''] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  const user = authority.includes('@') ? authority.slice(0, authority.lastIndexOf('@')) : undefined;
  const host = user === undefined ? authority : authority.slice(user.length + 1);
  if (scheme.toLowerCase() !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(invalid(path, host, `host must be specified${form}`));
  if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function validateWebhookService(service: { name: string; namespace: string; path?: string; port?: number }, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!service.name) errors.push(required(at.child(path, 'name')));
  if (!service.namespace) errors.push(required(at.child(path, 'namespace')));
  const port = service.port ?? 0;
  const problems = isValidPortNum(port);
  if (problems.length > 0) errors.push(invalid(at.child(path, 'port'), port, `port is not valid: ${problems.join(', ')}`));
  return [...errors, ...validateServicePath(service.path ?? '', at.child(path, 'path'))];
}

function validateServicePath(value: string, path: string): FieldError[] {
  if (value === '' || value === '/') return [];
  if (value === '//') return [invalid(path, value, 'segment[0] may not be empty')];
  const errors = value.startsWith('/') ? [] : [invalid(path, value, "must start with a '/'")];
  for (const [i, step] of value.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') errors.push(invalid(path, value, `segment[${i}] may not be empty`));
    else for (const problem of isDns1123Subdomain(step)) errors.push(invalid(path, value, `segment[${i}]: ${problem}`));
  }
  return errors;
}
