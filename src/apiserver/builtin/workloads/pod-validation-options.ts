import type { ObjectMeta } from '../../../api/object.ts';
import type { Container, PodAffinityTerm, PodSpec, PodTemplateSpec } from '../../../api/kubernetes.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isLabelValue } from '../../../api/names.ts';
import { isHugePageName } from '../../validation/resource-list.ts';
import { isSidecar, isWholePages } from './pod-resources.ts';
import { validateSpreadLabelKeys } from './validate-affinity.ts';
import { isHostSysctl } from './validate-pod-security.ts';
import { isLocalPath } from './validate-path.ts';
import { someContainer } from './visit-containers.ts';

/** What an update may keep because the stored object already has it. All false for a new object. */
export interface PodValidationOptions {
  readonly isPod: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowInvalidSelectorValues: boolean;
  readonly allowInvalidNodeAffinityValues: boolean;
  readonly allowInvalidSpreadSelector: boolean;
  readonly allowInvalidSpreadLabelKeys: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowNonLocalTokenPath: boolean;
  readonly allowHostSysctls: boolean;
  readonly allowAnySELinuxChangePolicy: boolean;
  readonly allowComparingTolerations: boolean;
  readonly allowHostNetworkWithUserNamespace: boolean;
  readonly allowVolumeDevicesWithUserNamespace: boolean;
  readonly allowInitContainerRestartOnResize: boolean;
}

const strict: PodValidationOptions = {
  isPod: false,
  allowInvalidDeletionCost: false,
  allowInvalidSelectorValues: false,
  allowInvalidNodeAffinityValues: false,
  allowInvalidSpreadSelector: false,
  allowInvalidSpreadLabelKeys: false,
  allowIndivisibleHugePages: false,
  allowNonLocalTokenPath: false,
  allowHostSysctls: false,
  allowAnySELinuxChangePolicy: false,
  allowComparingTolerations: false,
  allowHostNetworkWithUserNamespace: false,
  allowVolumeDevicesWithUserNamespace: false,
  allowInitContainerRestartOnResize: false,
};
const strictPod: PodValidationOptions = { ...strict, isPod: true };

export function podOptions(old?: { spec?: PodSpec; metadata?: ObjectMeta }): PodValidationOptions {
  return old?.spec ? tolerating(old.spec, old.metadata, true) : strictPod;
}

export function templateOptions(old?: PodTemplateSpec): PodValidationOptions {
  return old?.spec ? tolerating(old.spec, old.metadata as ObjectMeta | undefined, false) : strict;
}

function tolerating(spec: PodSpec, meta: ObjectMeta | undefined, isPod: boolean): PodValidationOptions {
  const hasUserNamespace = spec.hostUsers === false;
  return {
    isPod,
    allowInvalidDeletionCost: !isDeletionCost(meta?.annotations?.[deletionCostAnnotation]),
    allowInvalidSelectorValues: podAffinityTerms(spec).some(hasInvalidSelector),
    allowInvalidNodeAffinityValues: hasInvalidNodeAffinityValue(spec),
    allowInvalidSpreadSelector: (spec.topologySpreadConstraints ?? []).some(c => validateLabelSelector(c.labelSelector, '').length > 0),
    allowInvalidSpreadLabelKeys: (spec.topologySpreadConstraints ?? []).some(
      c => validateSpreadLabelKeys(c.matchLabelKeys, [], c.labelSelector, '').length > 0,
    ),
    allowIndivisibleHugePages: someContainer(spec, hasPartialPages) || hasPartial(spec.overhead),
    allowNonLocalTokenPath: (spec.volumes ?? []).some(v =>
      (v.projected?.sources ?? []).some(s => s.serviceAccountToken && !isLocalPath(s.serviceAccountToken.path)),
    ),
    allowHostSysctls: (spec.securityContext?.sysctls ?? []).some(s => isHostSysctl(s.name, spec)),
    allowAnySELinuxChangePolicy: spec.securityContext?.seLinuxChangePolicy !== undefined,
    allowComparingTolerations: (spec.tolerations ?? []).some(t => t.operator === 'Lt' || t.operator === 'Gt'),
    allowHostNetworkWithUserNamespace: hasUserNamespace && spec.hostNetwork === true,
    allowVolumeDevicesWithUserNamespace: hasUserNamespace && someContainer(spec, c => (c.volumeDevices ?? []).length > 0),
    allowInitContainerRestartOnResize: (spec.initContainers ?? []).some(
      c => !isSidecar(c) && (c.resizePolicy ?? []).some(p => p.restartPolicy === 'RestartContainer'),
    ),
  };
}

export const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

/** A 32 bit integer without a plus sign, spaces or leading zeros; absent counts as zero. */
export function isDeletionCost(value: string | undefined): boolean {
  if (value === undefined) return true;
  if (!/^(0|[1-9][0-9]*|-[0-9]+)$/.test(value)) return false;
  return Number(value) >= -2147483648 && Number(value) <= 2147483647;
}

function podAffinityTerms({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap(a => [
    ...(a?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(a?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weighted => weighted.podAffinityTerm),
  ]);
}

const hasInvalidSelector = (term: PodAffinityTerm) =>
  validateLabelSelector(term.labelSelector, '').length > 0 || validateLabelSelector(term.namespaceSelector, '').length > 0;

function hasInvalidNodeAffinityValue({ affinity }: PodSpec): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.some(term => (term.matchExpressions ?? []).some(e => (e.values ?? []).some(value => isLabelValue(value).length > 0)));
}

const hasPartialPages = ({ resources }: Container) => hasPartial(resources?.limits) || hasPartial(resources?.requests);
const hasPartial = (list: Record<string, string | number> | undefined) =>
  Object.entries(list ?? {}).some(([name, quantity]) => isHugePageName(name) && !isWholePages(name, quantity));
