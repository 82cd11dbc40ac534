import { at, invalid, required, type FieldError } from '../../../api/field-error.ts';
import type { IPAddress, ServiceCIDR } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isIp, isIpv6, parseCidr, validateCidr } from '../../validation/ip.ts';
import { isDns1123Subdomain, isPathSegmentName } from '../../../api/names.ts';
import { fieldIsImmutable, validateImmutableField } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, invalidFor, keepMetadata, specAndStatus } from '../kind-parts.ts';

const cidrsOf = (obj: KubeObject): string[] => (obj as unknown as ServiceCIDR).spec?.cidrs ?? [];
const path = 'spec.cidrs';

function validateCidrs(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalid(path, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const errors = cidrs.flatMap((cidr, i) => validateCidr(at.index(path, i), cidr));
  const [first, second] = cidrs.map(parseCidr);
  if (first && second && isIpv6(first.address) === isIpv6(second.address))
    errors.push(invalid(path, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'));
  return errors;
}

export const serviceCidrKind: BuiltinKind = {
  strategy: {
    ...specAndStatus(),
    validate: obj => validateCidrs(cidrsOf(obj)),
    validateUpdate(obj, old) {
      const next = cidrsOf(obj);
      const last = cidrsOf(old);
      const fixed = (i: number) => invalid(at.index(path, i), next[i], fieldIsImmutable);
      if (next.length === last.length) return last.flatMap((cidr, i) => (cidr === next[i] ? [] : [fixed(i)]));
      if (last.length !== 1 || next.length !== 2) return [invalid(path, next, fieldIsImmutable)];
      return [...(next[0] === last[0] ? [] : [fixed(0)]), ...validateCidrs(next)];
    },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
      keepMetadata(obj, old);
    },
    validateStatusUpdate: () => [],
    resetFields: { '': [['status']], status: [['metadata'], ['spec']] },
  },
};

function validateParent(obj: KubeObject): FieldError[] {
  const parent = (obj as unknown as IPAddress).spec?.parentRef;
  if (!parent) return [required('spec.parentRef')];
  const errors: FieldError[] = [];
  const { group = '', resource = '', name = '', namespace = '' } = parent;
  const here = (field: string) => at.child('spec.parentRef', field);
  if (group !== '') errors.push(...invalidFor(here('group'), group, isDns1123Subdomain(group)));
  for (const [field, value] of [
    ['resource', resource],
    ['name', name],
  ] as const)
    errors.push(...(value === '' ? [required(here(field))] : invalidFor(here(field), value, isPathSegmentName(value))));
  if (namespace !== '') errors.push(...invalidFor(here('namespace'), namespace, isPathSegmentName(namespace)));
  return errors;
}

export const ipAddressKind: BuiltinKind = {
  strategy: {
    nameRule: isIp,
    validate: validateParent,
    validateUpdate: (obj, old) => [
      ...validateParent(obj),
      ...validateImmutableField(
        (obj as unknown as IPAddress).spec?.parentRef,
        (old as unknown as IPAddress).spec?.parentRef,
        'spec.parentRef',
      ),
    ],
  },
};
