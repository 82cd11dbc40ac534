import { at } from '../../../api/field-error.ts';
import type { ContainerPort, NodeSelectorTerm, PodAffinity, PodSpec, PodTemplateSpec, Volume } from '../../../api/kubernetes.ts';
import type { ObjectMeta } from '../../../api/object.ts';
import { warningsForIp } from '../../validation/ip.ts';
import { isDns1123Label, isLabelValue } from '../../../api/names.ts';
import { formatQuantity, isWholeNumber } from '../../validation/quantities.ts';
import { nodeLabelWarning } from '../node-label-warnings.ts';
import { semanticEqual } from './semantic-equal.ts';
import { warningsForClaimSpec } from './validate-claim-spec.ts';
import { appArmorPrefix, appArmorProfileOf, seccompContainerPrefix, seccompPodAnnotation } from './validate-pod-annotations.ts';
import { visitContainers } from './visit-containers.ts';
import { overlappingPathWarnings } from './volume-path-warnings.ts';

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};
const deprecatedVolumes: readonly (readonly [keyof Volume, string, string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', '', ''],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** How Go prints a list of messages. */
const printList = (messages: readonly string[]) => `[${messages.join(' ')}]`;

export function hostnameWarning(name: string | undefined, use: string): string[] {
  const messages = isDns1123Label(name ?? '');
  if (messages.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: ${printList(messages)}`,
  ];
}

export function warningsForTemplate(template: PodTemplateSpec | undefined, path: string): string[] {
  if (!template?.spec) return [];
  return warningsForPod(template.spec, template.metadata as ObjectMeta | undefined, path);
}

/** Warnings about a pod, or about a template when `path` names one. */
export function warningsForPod(spec: PodSpec, meta: ObjectMeta | undefined, path = ''): string[] {
  const warnings: string[] = [];
  const specPath = at.child(path, 'spec');
  warnAboutNodes(spec, specPath, warnings);
  for (const key in deprecatedAnnotations)
    if (meta?.annotations?.[key] !== undefined)
      warnings.push(`${at.key(at.child(path, 'metadata', 'annotations'), key)}: ${deprecatedAnnotations[key]}`);
  warnAboutVolumes(spec.volumes ?? [], at.child(specPath, 'volumes'), warnings);
  warnAboutRepeats(spec, specPath, warnings);
  for (const name of ['memory', 'ephemeral-storage'])
    warnAboutFraction(spec.overhead?.[name], at.key(at.child(specPath, 'overhead'), name), warnings);
  warnAboutContainers(spec, meta, path, warnings);
  warnAboutPorts(spec, specPath, warnings);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    warnings.push(
      `${at.child(specPath, 'terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  warnAboutNullSelectors(spec.affinity?.podAffinity, at.child(specPath, 'affinity', 'podAffinity'), warnings);
  warnAboutNullSelectors(spec.affinity?.podAntiAffinity, at.child(specPath, 'affinity', 'podAntiAffinity'), warnings);
  (spec.dnsConfig?.nameservers ?? []).forEach((ip, i) =>
    warnings.push(...warningsForIp(at.index(at.child(specPath, 'dnsConfig', 'nameservers'), i), ip)),
  );
  (spec.hostAliases ?? []).forEach(({ ip }, i) =>
    warnings.push(...warningsForIp(at.child(at.index(at.child(specPath, 'hostAliases'), i), 'ip'), ip)),
  );
  return warnings;
}

function warnAboutNodes(spec: PodSpec, path: string, warnings: string[]): void {
  for (const key in spec.nodeSelector) {
    const message = nodeLabelWarning(key);
    if (message) warnings.push(`${at.key(at.child(path, 'nodeSelector'), key)}: ${message}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const affinityPath = at.child(path, 'affinity', 'nodeAffinity');
  const requiredPath = at.child(affinityPath, 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  (affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).forEach((term, i) =>
    warnAboutTerm(term, at.index(requiredPath, i), false, warnings),
  );
  const preferredPath = at.child(affinityPath, 'preferredDuringSchedulingIgnoredDuringExecution');
  (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach(({ preference }, i) =>
    warnAboutTerm(preference ?? {}, at.child(at.index(preferredPath, i), 'preference'), true, warnings),
  );
  (spec.topologySpreadConstraints ?? []).forEach(({ topologyKey, labelSelector }, i) => {
    const own = at.index(at.child(path, 'topologySpreadConstraints'), i);
    const message = nodeLabelWarning(topologyKey);
    if (message) warnings.push(`${at.child(own, 'topologyKey')}: ${topologyKey} is ${message}`);
    if (!labelSelector) warnings.push(`${at.child(own, 'labelSelector')}: a null labelSelector results in matching no pod`);
  });
}

function warnAboutTerm(term: NodeSelectorTerm, path: string, checksValues: boolean, warnings: string[]): void {
  (term.matchExpressions ?? []).forEach(({ key, values = [] }, i) => {
    const own = at.index(at.child(path, 'matchExpressions'), i);
    const message = nodeLabelWarning(key);
    if (message) warnings.push(`${at.child(own, 'key')}: ${key} is ${message}`);
    if (checksValues)
      values.forEach((value, j) => {
        for (const problem of isLabelValue(value))
          warnings.push(`${at.index(at.child(own, 'values'), j)}: ${value} is invalid, ${problem}`);
      });
  });
}

function warnAboutVolumes(volumes: readonly Volume[], path: string, warnings: string[]): void {
  volumes.forEach((volume, i) => {
    const own = at.index(path, i);
    for (const [type, name, message] of deprecatedVolumes) {
      if (!volume[type]) continue;
      if (name !== '') warnings.push(`${at.child(own, name)}: ${message}`);
      const claim = volume.ephemeral?.volumeClaimTemplate;
      if (type === 'ephemeral' && claim)
        warnings.push(...warningsForClaimSpec(claim.spec ?? {}, at.child(own, 'ephemeral', 'volumeClaimTemplate', 'spec')));
    }
  });
  warnings.push(...overlappingPathWarnings(volumes));
}

function warnAboutRepeats(spec: PodSpec, path: string, warnings: string[]): void {
  const ips = new Set<string>();
  (spec.hostAliases ?? []).forEach(({ ip }, i) => {
    const own = at.child(at.index(at.child(path, 'hostAliases'), i), 'ip');
    if (ips.has(ip)) warnings.push(`${own}: duplicate ip ${JSON.stringify(ip)}`);
    ips.add(ip);
  });
  const secrets = new Set<string>();
  const secretPath = (i: number) => at.child(at.index(at.child(path, 'imagePullSecrets'), i), 'name');
  const names = (spec.imagePullSecrets ?? []).map(secret => secret.name ?? '');
  names.forEach((name, i) => {
    if (secrets.has(name)) warnings.push(`${secretPath(i)}: duplicate name ${JSON.stringify(name)}`);
    secrets.add(name);
  });
  names.forEach((name, i) => {
    if (name === '') warnings.push(`${secretPath(i)}: invalid empty name ""`);
  });
}

function warnAboutFraction(quantity: string | number | undefined, path: string, warnings: string[]): void {
  if (quantity === undefined || isWholeNumber(quantity)) return;
  warnings.push(`${path}: fractional byte value ${JSON.stringify(formatQuantity(quantity))} is invalid, must be an integer`);
}

function warnAboutContainers(spec: PodSpec, meta: ObjectMeta | undefined, path: string, warnings: string[]): void {
  const annotations = meta?.annotations;
  const annotationsPath = at.child(path, 'metadata', 'annotations');
  const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  if (!spec.securityContext?.seccompProfile && annotations?.[seccompPodAnnotation] !== undefined)
    warnings.push(`${at.key(annotationsPath, seccompPodAnnotation)}: ${seccomp}`);
  visitContainers(spec, at.child(path, 'spec'), (container, own) => {
    const seccompKey = seccompContainerPrefix + container.name;
    if (!container.securityContext?.seccompProfile && annotations?.[seccompKey] !== undefined)
      warnings.push(`${at.key(annotationsPath, seccompKey)}: ${seccomp}`);
    const armorKey = appArmorPrefix + container.name;
    const armor = annotations?.[armorKey];
    // Pods themselves are warned about while their annotations become fields.
    if (path !== '' && armor !== undefined && !container.securityContext?.appArmorProfile) {
      const podProfile = spec.securityContext?.appArmorProfile;
      if (!podProfile || !semanticEqual(podProfile, appArmorProfileOf(armor)))
        warnings.push(`${at.key(annotationsPath, armorKey)}: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
    for (const name of ['memory', 'ephemeral-storage'])
      for (const which of ['limits', 'requests'] as const)
        warnAboutFraction(container.resources?.[which]?.[name], at.key(at.child(own, 'resources', which), name), warnings);
    const names = new Set<string>();
    (container.env ?? []).forEach(({ name, value = '', valueFrom }, i) => {
      const reference = `$(${name})`;
      const hides = valueFrom !== undefined || value === reference || !value.includes(reference);
      if (names.has(name) && hides)
        warnings.push(
          `${at.index(at.child(own, 'env'), i)}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
        );
      names.add(name);
    });
  });
}

const printPort = (port: ContainerPort) =>
  `{Name:${port.name ?? ''} HostPort:${port.hostPort ?? 0} ContainerPort:${port.containerPort} Protocol:${port.protocol ?? ''} HostIP:${port.hostIP ?? ''}}`;

function warnAboutPorts(spec: PodSpec, path: string, warnings: string[]): void {
  const known = new Map<string, { path: string; port: ContainerPort }[]>();
  const visitPorts = (visit: (port: ContainerPort, own: string) => void) =>
    visitContainers(spec, path, (container, own) =>
      (container.ports ?? []).forEach((port, i) => visit(port, at.index(at.child(own, 'ports'), i))),
    );
  visitPorts((port, own) => {
    const { hostIP = '', hostPort = 0 } = port;
    if (hostIP && hostPort === 0) warnings.push(`${own}: hostIP set without hostPort: ${printPort(port)}`);
    const key = `${port.containerPort}/${port.protocol}`;
    const others = known.get(key) ?? [];
    for (const other of others) {
      const { hostIP: otherIp = '', hostPort: otherPort = 0 } = other.port;
      if (hostIP === otherIp && hostPort === otherPort) warnings.push(`${own}: duplicate port definition with ${other.path}`);
      else if (hostPort === 0 || otherPort === 0) warnings.push(`${own}: overlapping port definition with ${other.path}`);
      else if (hostPort === otherPort && (hostIP === '') !== (otherIp === ''))
        warnings.push(`${own}: dangerously ambiguous port definition with ${other.path}`);
    }
    known.set(key, [...others, { path: own, port }]);
  });
  const names = new Map<string, string>();
  visitPorts(({ name }, own) => {
    if (!name) return;
    const other = names.get(name);
    if (other === undefined) names.set(name, own);
    else
      warnings.push(
        `${own}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      );
  });
}

function warnAboutNullSelectors(affinity: PodAffinity | undefined, path: string, warnings: string[]): void {
  const message = 'a null labelSelector results in matching no pod';
  (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).forEach((term, i) => {
    const own = at.index(at.child(path, 'requiredDuringSchedulingIgnoredDuringExecution'), i);
    if (!term.labelSelector) warnings.push(`${at.child(own, 'labelSelector')}: ${message}`);
  });
  (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach((term, i) => {
    const own = at.index(at.child(path, 'preferredDuringSchedulingIgnoredDuringExecution'), i);
    if (!term.podAffinityTerm.labelSelector) warnings.push(`${at.child(own, 'podAffinityTerm', 'labelSelector')}: ${message}`);
  });
}
