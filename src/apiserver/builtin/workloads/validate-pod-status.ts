import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, forbidden, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from '../../../api/kubernetes.ts';
import { parseIp, isIpv4, validateLegacyIp } from '../../validation/ip.ts';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, isValidGroupId, isValidUserId } from '../../../api/names.ts';
import { internalForm } from './internal-form.ts';
import { immutable, pushInvalid } from './invalid-value.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { pushId } from './validate-container-security.ts';
import { validateAnnotationUpdates, validatePodAnnotations } from './validate-pod-annotations.ts';
import { specOf } from './validate-pod-update.ts';

export function validatePodStatusUpdate(pod: Pod, old: Pod, opts: PodValidationOptions): FieldError[] {
  const spec = specOf(pod);
  const oldSpec = specOf(old);
  const status = pod.status ?? {};
  const oldStatus = old.status ?? {};
  const annotations = pod.metadata?.annotations;
  const errors = validateAnnotationUpdates(annotations, old.metadata?.annotations, 'metadata.annotations');
  errors.push(...validatePodAnnotations(annotations, spec, 'metadata.annotations', opts));
  validateConditions(status, errors);
  if ((spec.nodeName ?? '') !== (oldSpec.nodeName ?? '')) errors.push(forbidden('status.nodeName', 'may not be changed directly'));
  validateNomination(status, oldStatus, oldSpec, errors);
  pushGeneration(status.observedGeneration, 'status.observedGeneration', errors);
  if ((status.qosClass ?? '') !== (oldStatus.qosClass ?? '')) errors.push(invalid('status.qosClass', status.qosClass ?? '', immutable));
  validateTransitions(status, oldStatus, oldSpec, errors);
  validateClaimStatuses(status, spec, errors);
  validateIps('podIPs', status, oldStatus, errors);
  validateIps('hostIPs', status, oldStatus, errors);
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const)
    validateUsers(status[list] ?? [], spec, at.child('status', list), errors);
  validateAllocated(status.containerStatuses ?? [], spec.containers ?? [], 'status.containerStatuses', errors);
  validateAllocated(status.initContainerStatuses ?? [], spec.initContainers ?? [], 'status.initContainerStatuses', errors);
  (status.ephemeralContainerStatuses ?? []).forEach((container, i) => {
    if (container.allocatedResourcesStatus?.length)
      errors.push(
        forbidden(`status.ephemeralContainerStatuses[${i}].allocatedResourcesStatus`, 'must not be specified in container status'),
      );
  });
  return errors;
}

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

function validateConditions(status: PodStatus, errors: FieldError[]): void {
  (status.conditions ?? []).forEach((condition, i) => {
    const own = `status.conditions[${i}]`;
    pushGeneration(condition.observedGeneration, at.child(own, 'observedGeneration'), errors);
    if (!systemConditions.has(condition.type)) pushInvalid(errors, at.child(own, 'Type'), condition.type, isQualifiedName(condition.type));
  });
}

function pushGeneration(generation: number | undefined, path: string, errors: FieldError[]): void {
  if (generation !== undefined && generation < 0) errors.push(invalid(path, generation, 'must be a non-negative integer'));
}

function validateNomination(status: PodStatus, old: PodStatus, oldSpec: PodSpec, errors: FieldError[]): void {
  const path = 'status.nominatedNodeName';
  const name = status.nominatedNodeName ?? '';
  if (name === '' || name === (old.nominatedNodeName ?? '')) return;
  pushInvalid(errors, path, name, isDns1123Subdomain(name));
  if (oldSpec.nodeName) errors.push(forbidden(path, 'may not be set on pods that are already bound to a node'));
}

function validateTransitions(status: PodStatus, old: PodStatus, spec: PodSpec, errors: FieldError[]): void {
  const restartsAll = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].some(c =>
    (c.restartPolicyRules ?? []).some(rule => rule.action === 'RestartAllContainers'),
  );
  const check = (list: 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses', containers?: Container[]) =>
    (old[list] ?? []).forEach((before, i) => {
      const exitCode = before.state?.terminated?.exitCode;
      const now = (status[list] ?? []).find(s => s.name === before.name);
      if (!before.state?.terminated || !now || now.state?.terminated) return;
      const container = containers?.find(c => c.name === before.name);
      if (container && mayRestart(container, spec, exitCode ?? 0)) return;
      errors.push(forbidden(`status.${list}[${i}].state`, 'may not be transitioned to non-terminated state'));
    });
  if (!restartsAll) {
    check('containerStatuses', spec.containers);
    check('initContainerStatuses', spec.initContainers);
  }
  check('ephemeralContainerStatuses');
}

function mayRestart(container: Container, spec: PodSpec, exitCode: number): boolean {
  const policy = container.restartPolicy;
  if (policy !== undefined) {
    const matches = (container.restartPolicyRules ?? []).some(({ exitCodes }) => {
      if (!exitCodes) return false;
      const isListed = (exitCodes.values ?? []).includes(exitCode);
      return exitCodes.operator === 'In' ? isListed : exitCodes.operator === 'NotIn' && !isListed;
    });
    if (matches) return true;
  }
  const effective = policy ?? spec.restartPolicy;
  if (effective === 'Never') return false;
  return effective === 'OnFailure' ? exitCode !== 0 : true;
}

function validateClaimStatuses(status: PodStatus, spec: PodSpec, errors: FieldError[]): void {
  const seen = new Set<string>();
  (status.resourceClaimStatuses ?? []).forEach(({ name, resourceClaimName }, i) => {
    const own = `status.resourceClaimStatuses[${i}]`;
    if (!(spec.resourceClaims ?? []).some(claim => claim.name === name))
      errors.push(invalid(at.child(own, 'name'), name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (seen.has(name)) errors.push(duplicate(at.child(own, 'name'), name));
    seen.add(name);
    if (resourceClaimName !== undefined)
      pushInvalid(errors, at.child(own, 'resourceClaimName'), resourceClaimName, isDns1123Subdomain(resourceClaimName));
  });
  const extended = status.extendedResourceClaimStatus;
  if (!extended) return;
  const path = 'status.extendedResourceClaimStatus';
  const mappings = extended.requestMappings ?? [];
  if (mappings.length === 0) errors.push(required(at.child(path, 'requestMappings'), 'at least one request mapping is required'));
  mappings.forEach(({ containerName, resourceName, requestName }, i) => {
    const own = at.index(at.child(path, 'requestMappings'), i);
    const container = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].findLast(c => c.name === containerName);
    if (!container)
      errors.push(
        invalid(
          at.child(own, 'containerName'),
          containerName,
          'must match the name of an entry in spec.initContainers.name or spec.containers.name',
        ),
      );
    else if (container.resources?.requests?.[resourceName] === undefined)
      errors.push(
        invalid(
          at.child(own, 'resourceName'),
          resourceName,
          'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
        ),
      );
    pushInvalid(errors, at.child(path, 'requestName'), requestName, isDns1123Label(requestName));
  });
  if (!extended.resourceClaimName) errors.push(required(at.child(path, 'resourceClaimName')));
  else pushInvalid(errors, at.child(path, 'resourceClaimName'), extended.resourceClaimName, isDns1123Subdomain(extended.resourceClaimName));
}

function validateIps(list: 'podIPs' | 'hostIPs', status: PodStatus, old: PodStatus, errors: FieldError[]): void {
  const ips = (status[list] ?? []).map(entry => entry.ip ?? '');
  if (ips.length === 0) return;
  const path = at.child('status', list);
  if (list === 'hostIPs' && (status.hostIP ?? '') !== ips[0])
    errors.push(invalid(at.child(at.index(path, 0), 'ip'), ips[0], 'must be equal to `hostIP`'));
  const known = (old[list] ?? []).map(entry => entry.ip ?? '');
  ips.forEach((ip, i) => errors.push(...validateLegacyIp(at.index(path, i), ip, known)));
  if (ips.length < 2) return;
  const parsed = ips.map(parseIp);
  if (parsed.some(ip => !ip)) return;
  const isDualStack = parsed.some(ip => isIpv4(ip!)) && parsed.some(ip => !isIpv4(ip!));
  if (!isDualStack || ips.length > 2) {
    const shown = ips.map(ip => internalForm(list === 'podIPs' ? 'PodIP' : 'HostIP', { ip }));
    errors.push(invalid(path, shown, 'may specify no more than one IP for each IP family'));
  }
}

function validateUsers(statuses: readonly ContainerStatus[], spec: PodSpec, path: string, errors: FieldError[]): void {
  statuses.forEach(({ user }, i) => {
    const linux = user?.linux;
    if (!linux) return;
    const own = at.child(at.index(path, i), 'user', 'linux');
    if (spec.os?.name === 'windows') return void errors.push(forbidden(own, 'cannot be set for a windows pod'));
    pushId(errors, at.child(own, 'uid'), linux.uid, isValidUserId);
    pushId(errors, at.child(own, 'gid'), linux.gid, isValidGroupId);
    (linux.supplementalGroups ?? []).forEach((gid, j) =>
      pushId(errors, at.index(at.child(own, 'supplementalGroups'), j), gid, isValidGroupId),
    );
  });
}

const healths = ['Healthy', 'Unhealthy', 'Unknown'];

function validateAllocated(
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  path: string,
  errors: FieldError[],
): void {
  statuses.forEach((status, i) =>
    (status.allocatedResourcesStatus ?? []).forEach((allocated, j) => {
      const own = at.index(at.child(at.index(path, i), 'allocatedResourcesStatus'), j);
      const container = containers.find(c => c.name === status.name);
      const isClaim = allocated.name.startsWith('claim:');
      const known = isClaim
        ? (container?.resources?.claims ?? []).map(c => `claim:${c.name}${c.request ? `/${c.request}` : ''}`)
        : Object.keys(container?.resources?.requests ?? {});
      if (container && !known.includes(allocated.name))
        errors.push(
          invalid(
            at.child(own, 'name'),
            allocated.name,
            isClaim
              ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
              : "must match one of the container's resource requests",
          ),
        );
      const seen = new Set<string>();
      (allocated.resources ?? []).forEach((resource, k) => {
        const resourcePath = at.index(at.child(own, 'resources'), k);
        if (!healths.includes(resource.health ?? ''))
          errors.push(notSupported(at.child(resourcePath, 'health'), resource.health ?? '', healths));
        if (seen.has(resource.resourceID)) errors.push(duplicate(at.child(resourcePath, 'resourceID'), resource.resourceID));
        seen.add(resource.resourceID);
      });
    }),
  );
}
