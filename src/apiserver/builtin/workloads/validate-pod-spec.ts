import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, forbidden, invalid, notFound, notSupported, required, tooLong } from '../../../api/field-error.ts';
import type { PodDNSConfig, PodResourceClaim, PodSpec } from '../../../api/kubernetes.ts';
import type { ObjectMeta } from '../../../api/object.ts';
import { validateLegacyIp } from '../../validation/ip.ts';
import { inclusiveRange, isDns1123Label, isDns1123Subdomain, isDns1123SubdomainWithUnderscore, byteLength } from '../../../api/names.ts';
import { validateLabels } from '../../validation/object-meta.ts';
import { internalForm } from './internal-form.ts';
import { pushInvalid } from './invalid-value.ts';
import { validateOverhead, validatePodResources } from './pod-resources.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validateAffinity } from './validate-affinity.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './validate-container.ts';
import { validateHostProcess, validateHostUsers, validateOs, validatePodSecurityContext } from './validate-pod-security.ts';
import { mirrorAnnotation } from './validate-pod-annotations.ts';
import { validateReadinessGates, validateSchedulingGates, validateSpread, validateTolerations } from './validate-scheduling.ts';
import { validateVolumes } from './validate-volumes.ts';
import { visitContainers } from './visit-containers.ts';

const maxInt32 = 2147483647;

/** All rules of a pod spec. `meta` is absent for templates. */
export function validatePodSpec(spec: PodSpec, meta: ObjectMeta | undefined, path: string, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  const under = (name: string) => at.child(path, name);
  if (spec.terminationGracePeriodSeconds === undefined) errors.push(required(under('terminationGracePeriodSeconds')));
  const volumes = validateVolumes(spec.volumes ?? [], meta?.name ?? '', under('volumes'), opts);
  errors.push(...volumes.errors);
  const claimNames = new Set((spec.resourceClaims ?? []).map(claim => claim.name).filter(Boolean));
  errors.push(...validateResourceClaims(spec.resourceClaims ?? [], meta, under('resourceClaims')));
  const scope = { spec, volumes: volumes.usable, claimNames, opts };
  errors.push(...validateContainers(scope, under('containers')));
  errors.push(...validateInitContainers(scope, under('initContainers')));
  errors.push(...validateEphemeralContainers(scope, under('ephemeralContainers')));
  errors.push(...validatePodResources(spec, claimNames, path, opts));
  errors.push(...validateHostNetworkPorts(spec, path, opts));
  pushChoice(errors, under('restartPolicy'), spec.restartPolicy, ['Always', 'OnFailure', 'Never']);
  pushChoice(errors, under('dnsPolicy'), spec.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  errors.push(...validateLabels(spec.nodeSelector, under('nodeSelector')));
  errors.push(...validatePodSecurityContext(spec, under('securityContext'), opts));
  errors.push(...validateAffinity(spec.affinity, under('affinity'), opts));
  errors.push(...validateDnsConfig(spec.dnsConfig, spec.dnsPolicy, under('dnsConfig')));
  errors.push(...validateReadinessGates(spec.readinessGates ?? [], under('readinessGates')));
  errors.push(...validateSchedulingGates(spec.schedulingGates ?? [], under('schedulingGates')));
  errors.push(...validateSpread(spec.topologySpreadConstraints ?? [], under('topologySpreadConstraints'), opts));
  errors.push(...validateHostProcess(spec, path));
  errors.push(...validateHostUsers(spec, path, opts));
  validateHostnameOverride(spec, under('hostnameOverride'), errors);
  pushName(errors, under('serviceAccountName'), spec.serviceAccountName, isDns1123Subdomain);
  pushName(errors, under('nodeName'), spec.nodeName, isDns1123Subdomain);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32))
    errors.push(invalid(under('activeDeadlineSeconds'), deadline, inclusiveRange(1, maxInt32)));
  pushName(errors, under('hostname'), spec.hostname, isDns1123Label);
  pushName(errors, under('subdomain'), spec.subdomain, isDns1123Label);
  errors.push(...validateTolerations(spec.tolerations ?? [], under('tolerations'), opts));
  validateHostAliases(spec, under('hostAliases'), errors);
  pushName(errors, under('priorityClassName'), spec.priorityClassName, isDns1123Subdomain);
  const runtimeClass = spec.runtimeClassName;
  if (runtimeClass !== undefined) pushInvalid(errors, under('runtimeClassName'), runtimeClass, isDns1123Subdomain(runtimeClass));
  if (spec.preemptionPolicy !== undefined)
    pushChoice(errors, under('preemptionPolicy'), spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']);
  if (spec.overhead) errors.push(...validateOverhead(spec.overhead, under('overhead'), opts));
  errors.push(...validateOs(spec, path));
  validateFileKeyVolumes(spec, path, errors);
  return errors;
}

function pushChoice(errors: FieldError[], path: string, value: string | undefined, choices: readonly string[]): void {
  if (!value) errors.push(required(path));
  else if (!choices.includes(value)) errors.push(notSupported(path, value, choices));
}

function pushName(errors: FieldError[], path: string, value: string | undefined, check: (name: string) => string[]): void {
  if (value) pushInvalid(errors, path, value, check(value));
}

function validateResourceClaims(claims: readonly PodResourceClaim[], meta: ObjectMeta | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  claims.forEach((claim, i) => {
    if (meta?.annotations?.[mirrorAnnotation] !== undefined)
      return void errors.push(forbidden('', 'static pods do not support resource claims'));
    const own = at.index(path, i);
    const { name, resourceClaimName: claimName, resourceClaimTemplateName: templateName } = claim;
    if (!name) errors.push(required(at.child(own, 'name')));
    else if (seen.has(name)) errors.push(duplicate(at.child(own, 'name'), name));
    else {
      pushInvalid(errors, at.child(own, 'name'), name, isDns1123Label(name));
      seen.add(name);
    }
    const shown = () => internalForm('PodResourceClaim', claim);
    if (claimName !== undefined && templateName !== undefined)
      errors.push(invalid(own, shown(), 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'));
    if (claimName === undefined && templateName === undefined)
      errors.push(invalid(own, shown(), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    if (claimName !== undefined) pushInvalid(errors, at.child(own, 'resourceClaimName'), claimName, isDns1123Subdomain(claimName));
    if (templateName !== undefined)
      pushInvalid(errors, at.child(own, 'resourceClaimTemplateName'), templateName, isDns1123Subdomain(templateName));
  });
  return errors;
}

function validateHostNetworkPorts(spec: PodSpec, path: string, opts: PodValidationOptions): FieldError[] {
  if (!spec.hostNetwork) return [];
  const errors: FieldError[] = [];
  (spec.containers ?? []).forEach((container, i) =>
    (container.ports ?? []).forEach((port, j) => {
      const hostPort = port.hostPort ?? 0;
      if ((!opts.isPod && hostPort === 0) || hostPort === port.containerPort) return;
      const portPath = at.index(at.child(at.index(at.child(path, 'containers'), i), 'ports'), j);
      errors.push(invalid(at.child(portPath, 'hostPort'), hostPort, 'must match `containerPort` when `hostNetwork` is true'));
    }),
  );
  return errors;
}

function validateDnsConfig(config: PodDNSConfig | undefined, policy: string | undefined, path: string): FieldError[] {
  const servers = config?.nameservers ?? [];
  if (policy === 'None') {
    if (!config) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0)
      return [required(at.child(path, 'nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  }
  if (!config) return [];
  const errors: FieldError[] = [];
  const serversPath = at.child(path, 'nameservers');
  if (servers.length > 3) errors.push(invalid(serversPath, servers, 'must not have more than 3 nameservers'));
  servers.forEach((server, i) => errors.push(...validateLegacyIp(at.index(serversPath, i), server)));
  const searchesPath = at.child(path, 'searches');
  const searches = config.searches ?? [];
  if (searches.length > 32) errors.push(invalid(searchesPath, searches, 'must not have more than 32 search paths'));
  if (byteLength(searches.join(' ')) > 2048)
    errors.push(invalid(searchesPath, searches, 'must not have more than 2048 characters (including spaces) in the search list'));
  searches.forEach((search, i) => {
    if (search === '.') return;
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    pushInvalid(errors, at.index(searchesPath, i), name, isDns1123SubdomainWithUnderscore(name));
  });
  (config.options ?? []).forEach((option, i) => {
    if (!option.name) errors.push(required(at.index(at.child(path, 'options'), i), 'must not be empty'));
  });
  return errors;
}

function validateHostnameOverride(spec: PodSpec, path: string, errors: FieldError[]): void {
  const name = spec.hostnameOverride;
  if (name === undefined) return;
  if (spec.setHostnameAsFQDN) errors.push(forbidden(path, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork) errors.push(forbidden(path, 'may not be specified when hostNetwork is true'));
  if (byteLength(name) > 64) errors.push(tooLong(path, 64));
  pushInvalid(errors, path, name, isDns1123Subdomain(name));
}

function validateHostAliases(spec: PodSpec, path: string, errors: FieldError[]): void {
  (spec.hostAliases ?? []).forEach(({ ip = '', hostnames = [] }, i) => {
    const own = at.index(path, i);
    errors.push(...validateLegacyIp(at.child(own, 'ip'), ip));
    hostnames.forEach((name, j) => pushInvalid(errors, at.index(at.child(own, 'hostnames'), j), name, isDns1123Subdomain(name)));
  });
}

function validateFileKeyVolumes(spec: PodSpec, path: string, errors: FieldError[]): void {
  visitContainers(spec, path, (container, own) =>
    (container.env ?? []).forEach(({ valueFrom }, i) => {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (valueFrom?.fileKeyRef === undefined || name === undefined) return;
      const namePath = at.child(at.index(at.child(own, 'env'), i), 'valueFrom', 'fileKeyRef', 'volumeName');
      const volume = spec.volumes?.findLast(v => v.name === name);
      if (!volume) errors.push(notFound(namePath, name));
      else if (!volume.emptyDir) errors.push(invalid(namePath, name, 'referenced volume must be of type emptyDir'));
    }),
  );
}
