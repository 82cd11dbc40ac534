import { at, duplicate, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { ServiceSpec } from '../../../api/kubernetes.ts';
import { isIpv6, parseIp, validateLegacyIp } from '../../validation/ip.ts';
import { isHeadless } from './service-parts.ts';

const families = ['IPv4', 'IPv6'];
const familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const isIpv6Text = (address: string) => {
  const ip = parseIp(address);
  return ip !== undefined && isIpv6(ip);
};

/** The cluster addresses of a service and what says of which family they are. */
export function validateClusterIpFields(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const errors: FieldError[] = [];
  const path = 'spec.clusterIPs';
  const addresses = spec.clusterIPs ?? [];
  if (spec.clusterIP) {
    if (addresses.length === 0) errors.push(required(path));
    else if (addresses[0] !== spec.clusterIP) errors.push(invalid(path, addresses, 'first value must match `clusterIP`'));
  } else if (addresses.length > 0) errors.push(invalid(path, addresses, 'must be empty when `clusterIP` is not specified'));

  const seen = new Set<string>();
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    const familyPath = at.index('spec.ipFamilies', i);
    if (!families.includes(family)) errors.push(notSupported(familyPath, family, families));
    if (seen.has(family)) errors.push(duplicate(familyPath, family));
    seen.add(family);
  }
  if (spec.ipFamilyPolicy !== undefined && !familyPolicies.includes(spec.ipFamilyPolicy))
    errors.push(notSupported('spec.ipFamilyPolicy', spec.ipFamilyPolicy, familyPolicies));

  const bad = validateAddresses(addresses, old?.clusterIPs ?? []);
  errors.push(...bad);
  if (addresses.length > 2) errors.push(invalid(path, addresses, 'may only hold up to 2 values'));
  return bad.length > 0 ? errors : [...errors, ...validateFamilies(spec, addresses)];
}

function validateAddresses(addresses: readonly string[], oldAddresses: readonly string[]): FieldError[] {
  return addresses.flatMap((address, i) => {
    if (i !== 0 || address !== 'None') return validateLegacyIp(at.index('spec.clusterIPs', i), address, oldAddresses);
    return addresses.length > 1 ? [invalid('spec.clusterIPs', addresses, "'None' must be the first and only value")] : [];
  });
}

function validateFamilies(spec: ServiceSpec, addresses: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (addresses.length > 1) {
    const isDualStack = addresses.some(isIpv6Text) && !addresses.every(isIpv6Text);
    if (!isDualStack) errors.push(invalid('spec.clusterIPs', addresses, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  for (const [i, address] of addresses.entries()) {
    const family = spec.ipFamilies?.[i];
    if (family === 'IPv4' && isIpv6Text(address))
      errors.push(invalid(at.index('spec.clusterIPs', i), address, `expected an IPv4 value as indicated by \`ipFamilies[${i}]\``));
    if (family === 'IPv6' && !isIpv6Text(address))
      errors.push(invalid(at.index('spec.clusterIPs', i), address, `expected an IPv6 value as indicated by \`ipFamilies[${i}]\``));
  }
  return errors;
}

/** Addresses and families once given stay, except that a second one may come and go. */
export function validateAddressChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return [];
  const errors: FieldError[] = [];
  if (!(isHeadless(old) && isHeadless(spec)))
    errors.push(...validateListChange(spec, 'clusterIPs', spec.clusterIPs ?? [], old.clusterIPs ?? []));
  if (!isHeadless(old) && !isHeadless(spec))
    errors.push(...validateListChange(spec, 'ipFamilies', spec.ipFamilies ?? [], old.ipFamilies ?? []));
  return errors;
}

function validateListChange(
  spec: ServiceSpec,
  field: 'clusterIPs' | 'ipFamilies',
  next: readonly string[],
  last: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [];
  const path = `spec.${field}`;
  const fixed = (i: number) => invalid(at.index(path, i), next, 'may not change once set');
  if (last.length === next.length) {
    for (const [i, value] of last.entries()) if (value !== next[i]) errors.push(fixed(field === 'clusterIPs' ? i : 0));
    return errors;
  }
  // For families the server looks at the addresses here, and shows them.
  const shown = field === 'clusterIPs' ? next : (spec.clusterIPs ?? []);
  if (last.length > next.length) {
    if (shown.length === 0)
      errors.push(invalid(at.index(path, 0), next, `primary ${field === 'clusterIPs' ? 'clusterIP' : 'ipFamily'} can not be unset`));
    if (next.length > 0 && next[0] !== last[0]) errors.push(invalid(at.index(path, 0), shown, 'may not change once set'));
    if (next.length === 1 && spec.ipFamilyPolicy !== 'SingleStack')
      errors.push(
        invalid(
          'spec.ipFamilyPolicy',
          spec.ipFamilyPolicy ?? null,
          `must be set to 'SingleStack' when releasing the secondary ${field === 'clusterIPs' ? 'clusterIP' : 'ipFamily'}`,
        ),
      );
    return errors;
  }
  if (last.length > 0 && next[0] !== last[0]) errors.push(invalid(at.index(path, 0), shown, 'may not change once set'));
  return errors;
}
