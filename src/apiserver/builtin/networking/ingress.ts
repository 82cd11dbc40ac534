import { at, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { HTTPIngressPath, Ingress, IngressBackend, IngressRule, IngressSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { parseIp, validateLegacyIp, warningsForIp } from '../../validation/ip.ts';
import {
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isValidPortName,
  isValidPortNum,
  isWildcardDns1123Subdomain,
} from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor, specAndStatus } from '../kind-parts.ts';

const asIngress = (obj: KubeObject) => obj as unknown as Ingress;
const specOf = (obj: KubeObject): IngressSpec => asIngress(obj).spec ?? {};
const classAnnotation = 'kubernetes.io/ingress.class';

interface Leniency {
  readonly allowInvalidSecretName?: boolean;
  readonly allowInvalidWildcardRule?: boolean;
}

const hostProblems = (host: string) => (host.includes('*') ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host));

function validateSpec(spec: IngressSpec, leniency: Leniency): FieldError[] {
  const errors: FieldError[] = [];
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  if (rules.length === 0 && !defaultBackend)
    errors.push(invalid('spec', spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified'));
  if (defaultBackend) errors.push(...validateBackend(defaultBackend, 'spec.defaultBackend'));
  for (const [i, rule] of rules.entries()) errors.push(...validateRule(rule, at.index('spec.rules', i), leniency));
  for (const [i, { hosts = [], secretName = '' }] of tls.entries()) {
    const path = at.index('spec.tls', i);
    for (const [j, host] of hosts.entries()) errors.push(...invalidFor(at.index(at.child(path, 'hosts'), j), host, hostProblems(host)));
    if (!leniency.allowInvalidSecretName && secretName !== '')
      errors.push(...invalidFor(at.child(path, 'secretName'), secretName, isDns1123Subdomain(secretName)));
  }
  if (ingressClassName !== undefined)
    errors.push(...invalidFor('spec.ingressClassName', ingressClassName, isDns1123Subdomain(ingressClassName)));
  return errors;
}

function validateRule(rule: IngressRule, path: string, leniency: Leniency): FieldError[] {
  const errors: FieldError[] = [];
  const host = rule.host ?? '';
  if (host !== '') {
    if (parseIp(host)) errors.push(invalid(at.child(path, 'host'), host, 'must be a DNS name, not an IP address'));
    errors.push(...invalidFor(at.child(path, 'host'), host, hostProblems(host)));
  }
  if (host.includes('*') && leniency.allowInvalidWildcardRule) return errors;
  return [...errors, ...validateRuleValue(rule, path)];
}

function validateRuleValue({ http }: IngressRule, path: string): FieldError[] {
  if (!http) return [];
  const pathsPath = at.child(path, 'http', 'paths');
  const paths = http.paths ?? [];
  if (paths.length === 0) return [required(pathsPath)];
  return paths.flatMap((item, i) => validatePath(item, at.index(pathsPath, i)));
}

function validatePath(item: HTTPIngressPath, path: string): FieldError[] {
  const { pathType } = item;
  if (typeof pathType !== 'string') return [required(at.child(path, 'pathType'), 'pathType must be specified')];
  const errors: FieldError[] = [];
  const value = item.path ?? '';
  const valuePath = at.child(path, 'path');
  const mustBeAbsolute = () => errors.push(invalid(valuePath, value, 'must be an absolute path'));
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!value.startsWith('/')) mustBeAbsolute();
    for (const part of ['//', '/./', '/../', '%2f', '%2F'])
      if (value.includes(part)) errors.push(invalid(valuePath, value, `must not contain '${part}'`));
    for (const end of ['/..', '/.']) if (value.endsWith(end)) errors.push(invalid(valuePath, value, `cannot end with '${end}'`));
  } else if (pathType === 'ImplementationSpecific') {
    if (value !== '' && !value.startsWith('/')) mustBeAbsolute();
  } else errors.push(notSupported(at.child(path, 'pathType'), pathType, ['Exact', 'ImplementationSpecific', 'Prefix']));
  return [...errors, ...validateBackend(item.backend ?? {}, at.child(path, 'backend'))];
}

function validateBackend({ resource, service }: IngressBackend, path: string): FieldError[] {
  if (resource && service) return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource) return validateTypedReference(resource, at.child(path, 'resource'));
  if (!service) return [invalid(path, '', 'resource or service backend is required')];
  const errors: FieldError[] = [];
  const namePath = at.child(path, 'service', 'name');
  if (!service.name) errors.push(required(namePath));
  else errors.push(...invalidFor(namePath, service.name, isDns1123Label(service.name)));
  const { name = '', number = 0 } = service.port ?? {};
  const portPath = at.child(path, 'service', 'port');
  if (name !== '' && number !== 0) errors.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (name !== '') errors.push(...invalidFor(at.child(portPath, 'name'), name, isValidPortName(name)));
  else if (number !== 0) errors.push(...invalidFor(at.child(portPath, 'number'), number, isValidPortNum(number)));
  else errors.push(required(path, 'port name or number is required'));
  return errors;
}

/** Group, kind and name of an object in the same namespace. */
export function validateTypedReference(reference: { apiGroup?: string; kind?: string; name?: string }, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { apiGroup, kind = '', name = '' } = reference;
  if (typeof apiGroup === 'string') errors.push(...invalidFor(at.child(path, 'apiGroup'), apiGroup, isDns1123Subdomain(apiGroup)));
  for (const [field, value] of [
    ['kind', kind],
    ['name', name],
  ] as const)
    errors.push(...(value === '' ? [required(at.child(path, field))] : invalidFor(at.child(path, field), value, isPathSegmentName(value))));
  return errors;
}

function validateStatus(obj: KubeObject, old: KubeObject): FieldError[] {
  const known = (asIngress(old).status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  return (asIngress(obj).status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '', hostname = '' }, i) => {
    const path = at.index('status.loadBalancer.ingress', i);
    return [
      ...(ip === '' ? [] : validateLegacyIp(at.child(path, 'ip'), ip, known)),
      ...(hostname === '' ? [] : invalidFor(at.child(path, 'hostname'), hostname, isDns1123Subdomain(hostname))),
      ...(hostname !== '' && parseIp(hostname)
        ? [invalid(at.child(path, 'hostname'), hostname, 'must be a DNS name, not an IP address')]
        : []),
    ];
  });
}

export const ingressKind: BuiltinKind = {
  strategy: {
    ...specAndStatus(() => ({ loadBalancer: {} })),
    hasGeneration: true,
    validate(obj) {
      const errors = validateSpec(specOf(obj), {});
      const annotated = obj.metadata.annotations?.[classAnnotation];
      const named = specOf(obj).ingressClassName;
      if (annotated !== undefined && named !== undefined && annotated !== named)
        errors.push(invalid(`annotations.${classAnnotation}`, annotated, 'must match `ingressClassName` when both are specified'));
      return errors;
    },
    validateUpdate(obj, old) {
      const { tls = [], rules = [] } = specOf(old);
      return validateSpec(specOf(obj), {
        allowInvalidSecretName: tls.some(({ secretName }) => secretName && isDns1123Subdomain(secretName).length > 0),
        allowInvalidWildcardRule: rules.some(rule => rule.host?.includes('*') && validateRuleValue(rule, '').length > 0),
      });
    },
    validateStatusUpdate: validateStatus,
    warningsOnCreate(obj) {
      const isOldStyle = classAnnotation in (obj.metadata.annotations ?? {}) && specOf(obj).ingressClassName === undefined;
      return isOldStyle ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`] : [];
    },
    warningsOnUpdate(obj, _old, ctx) {
      if (ctx.subresource !== 'status') return [];
      return (asIngress(obj).status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, i) =>
        ip ? warningsForIp(at.index('status.loadBalancer.ingress', i), ip) : [],
      );
    },
  },
};
