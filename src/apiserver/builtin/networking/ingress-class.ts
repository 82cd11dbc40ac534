import { at, forbidden, invalid, notSupported, required, tooLong, type FieldError } from '../../../api/field-error.ts';
import type { IngressClass } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isDns1123Label, isDns1123Subdomain, isHttpPath, isLongerThan } from '../../../api/names.ts';
import { validateImmutableField } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor } from '../kind-parts.ts';
import { validateTypedReference } from './ingress.ts';

const asClass = (obj: KubeObject) => obj as unknown as IngressClass;

/** `example.com/anything`. */
function validateDomainPrefixedPath(value: string, path: string): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  const domain = value.slice(0, Math.max(0, slash));
  const rest = value.slice(slash + 1);
  if (slash < 1 || rest === '') return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [...invalidFor(path, domain, isDns1123Subdomain(domain)), ...invalidFor(path, rest, isHttpPath(rest))];
}

function validateParameters(obj: KubeObject): FieldError[] {
  const parameters = asClass(obj).spec?.parameters;
  if (!parameters) return [];
  const path = 'spec.parameters';
  const namespacePath = at.child(path, 'namespace');
  const errors = validateTypedReference(parameters, path);
  const { scope, namespace } = parameters;
  if (scope === undefined) return [...errors, required(at.child(path, 'scope'))];
  if (scope === 'Namespace')
    errors.push(
      ...(namespace === undefined
        ? [required(namespacePath, "`parameters.scope` is set to 'Namespace'")]
        : invalidFor(namespacePath, namespace, isDns1123Label(namespace))),
    );
  else if (scope === 'Cluster') {
    if (namespace !== undefined) errors.push(forbidden(namespacePath, "`parameters.scope` is set to 'Cluster'"));
  } else errors.push(notSupported(at.child(path, 'scope'), scope, ['Cluster', 'Namespace']));
  return errors;
}

function validateClass(obj: KubeObject): FieldError[] {
  const controller = asClass(obj).spec?.controller ?? '';
  return [
    ...(isLongerThan(controller, 250) ? [tooLong('spec.controller', 250)] : []),
    ...validateDomainPrefixedPath(controller, 'spec.controller'),
    ...validateParameters(obj),
  ];
}

export const ingressClassKind: BuiltinKind = {
  setDefaults(obj) {
    const parameters = asClass(obj).spec?.parameters;
    if (parameters) parameters.scope ??= 'Cluster';
  },
  strategy: {
    hasGeneration: true,
    validate: validateClass,
    validateUpdate: (obj, old) => [
      ...validateImmutableField(asClass(obj).spec?.controller ?? '', asClass(old).spec?.controller ?? '', 'spec.controller'),
      ...validateClass(obj),
    ],
  },
};
