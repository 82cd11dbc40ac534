import { invalid, type FieldError } from '../../../api/field-error.ts';
import type { ServiceSpec } from '../../../api/kubernetes.ts';
import { internalServerError, invalidObject } from '../../../api/status.ts';
import { isIpv6, parseIp } from '../../validation/ip.ts';
import type { ServiceNetwork } from './service-network.ts';
import { isHeadless, needsClusterIp, sameList } from './service-parts.ts';
import { validateClusterIpFields } from './validate-service-ips.ts';

export interface Allocation {
  readonly name: string;
  readonly isNameless: boolean;
  readonly owner: string;
  readonly network: ServiceNetwork;
  readonly dryRun: boolean;
}

const refuse = (name: string, errors: readonly FieldError[]) => invalidObject({ group: '', kind: 'Service' }, name, errors);
const familyOf = (address: string) => {
  const ip = parseIp(address);
  return ip && isIpv6(ip) ? 'IPv6' : 'IPv4';
};

/** clusterIP is the first of clusterIPs; clients may send either. */
export function normalizeClusterIps(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (!old) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if (old.clusterIPs?.length && !spec.clusterIPs?.length && (old.clusterIP ?? '') === (spec.clusterIP ?? ''))
    spec.clusterIPs = [...old.clusterIPs];
  if ((old.clusterIP ?? '') === (spec.clusterIP ?? '') || !sameList(old.clusterIPs, spec.clusterIPs)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

function isUnchangedPreferDualStack(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  return (
    old !== undefined &&
    spec.type !== 'ExternalName' &&
    old.type === spec.type &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (old.ipFamilyPolicy === undefined || old.ipFamilyPolicy === 'PreferDualStack') &&
    sameList(old.clusterIPs, spec.clusterIPs) &&
    sameList(old.ipFamilies, spec.ipFamilies)
  );
}

/** Decides the families of addresses. This server has one family of addresses for services: that of its range. */
export function initFamilies(spec: ServiceSpec, old: ServiceSpec | undefined, { name, network }: Allocation): void {
  if (!needsClusterIp(spec) || isUnchangedPreferDualStack(spec, old)) return;
  const family = familyOf(network.networkAddress);
  const isBareHeadless = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  if (spec.ipFamilyPolicy === undefined) spec.ipFamilyPolicy = old?.ipFamilyPolicy ?? (isBareHeadless ? 'RequireDualStack' : 'SingleStack');
  const fieldErrors = validateClusterIpFields(spec, old);
  if (fieldErrors.length > 0) throw refuse(name, fieldErrors);

  const errors = [...validatePolicy(spec, old), ...deriveFamilies(spec, family)];
  if (errors.length > 0) throw refuse(name, errors);
  if (isBareHeadless) {
    const families = spec.ipFamilies?.length ? spec.ipFamilies : [family];
    const other = families[0] === 'IPv4' ? 'IPv6' : 'IPv4';
    spec.ipFamilies = families.length < 2 && spec.ipFamilyPolicy !== 'SingleStack' ? [...families, other] : families;
    return;
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack')
    errors.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [i, wanted] of (spec.ipFamilies ?? []).entries())
    if (wanted !== family) errors.push(invalid(`spec.ipFamilies[${i}]`, wanted, 'not configured on this cluster'));
  if (errors.length > 0) throw refuse(name, errors);
  if (!spec.ipFamilies?.length) spec.ipFamilies = [family];
}

function validatePolicy(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const path = 'spec.ipFamilyPolicy';
  const isSingle = spec.ipFamilyPolicy === 'SingleStack';
  const shrank = (next: readonly unknown[] | undefined, last: readonly unknown[] | undefined) =>
    (next ?? []).length > 0 && (next ?? []).length < (last ?? []).length;
  if (old && isSingle) {
    if (sameList(old.clusterIPs, spec.clusterIPs) && spec.clusterIPs) spec.clusterIPs = spec.clusterIPs.slice(0, 1);
    if (sameList(old.ipFamilies, spec.ipFamilies) && spec.ipFamilies) spec.ipFamilies = spec.ipFamilies.slice(0, 1);
  } else if (old) {
    if (shrank(spec.clusterIPs, old.clusterIPs))
      errors.push(invalid(path, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP"));
    if (shrank(spec.ipFamilies, old.ipFamilies))
      errors.push(invalid(path, spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family"));
  }
  if (isSingle && spec.clusterIPs?.length === 2)
    errors.push(
      invalid(path, spec.ipFamilyPolicy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified"),
    );
  if (isSingle && spec.ipFamilies?.length === 2)
    errors.push(
      invalid(path, spec.ipFamilyPolicy, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"),
    );
  return errors;
}

function deriveFamilies(spec: ServiceSpec, family: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, address] of (spec.clusterIPs ?? []).entries()) {
    if (address === 'None') break;
    if (i < (spec.ipFamilies ?? []).length) continue;
    const wanted = familyOf(address);
    if (wanted === family) spec.ipFamilies = [...(spec.ipFamilies ?? []), wanted];
    else errors.push(invalid(`spec.clusterIPs[${i}]`, spec.clusterIPs, `${wanted} is not configured on this cluster`));
  }
  return errors;
}

/** Gives a service the addresses it needs and does not have. */
export function allocateAddresses(spec: ServiceSpec, old: ServiceSpec | undefined, allocation: Allocation): void {
  if (!needsClusterIp(spec)) return;
  const isNew = !old || old.type === 'ExternalName';
  if (!isNew || isHeadless(spec)) return;
  const addresses = [...(spec.clusterIPs ?? [])];
  for (const i of (spec.ipFamilies ?? []).keys()) addresses[i] = allocateAddress(addresses[i] ?? '', spec, allocation);
  spec.clusterIPs = addresses;
  spec.clusterIP = addresses[0] ?? '';
}

function allocateAddress(address: string, spec: ServiceSpec, { name, isNameless, owner, network, dryRun }: Allocation): string {
  if (address !== '') {
    const problem = network.addressProblem(address, owner);
    if (problem === undefined || (dryRun && problem === 'provided IP is already allocated')) return address;
    throw refuse(name, [invalid('spec.clusterIPs', spec.clusterIPs, `failed to allocate IP ${address}: ${problem}`)]);
  }
  if (dryRun) return network.networkAddress;
  const next = network.nextAddress(owner);
  if (isNameless && next !== undefined) {
    const why = `IPAddress.networking.k8s.io ${JSON.stringify(next)} is invalid: spec.parentRef.name: Required value`;
    throw refuse(name, [invalid('spec.clusterIPs', [''], `failed to allocate IP: ${why}`)]);
  }
  if (next === undefined) throw internalServerError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`);
  return next;
}
