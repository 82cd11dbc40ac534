import type {
  Container,
  EphemeralContainer,
  HTTPGetAction,
  PersistentVolumeClaimSpec,
  Pod,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  Probe,
  Volume,
} from '../../../api/kubernetes.ts';
import { defaultPullPolicy } from './image-name.ts';
import { isHugePageName, isOvercommitAllowed } from '../../validation/resource-list.ts';
import { aggregateLimits, aggregateRequests, isPodLevelResource } from './pod-resources.ts';
import { roundUpToMilli, type Quantities } from '../../validation/quantities.ts';

const defaultFileMode = 0o644;

/** Defaults of a pod that stands for itself, beyond those of its spec. */
export function setPodDefaults(pod: Pod): void {
  const spec = (pod.spec ??= { containers: [] });
  for (const container of spec.containers ?? []) requestWhatIsLimited(container);
  for (const container of spec.initContainers ?? []) requestWhatIsLimited(container);
  defaultPodLevelLimits(spec);
  defaultPodLevelRequests(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    for (const container of spec.containers ?? []) exposeOnHost(container);
    for (const container of spec.initContainers ?? []) exposeOnHost(container);
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  setPodSpecDefaults(spec);
  if (pod.status) alignPodIps(pod.status);
}

// `podIP` is the first of `podIPs`, whichever of the two a kubelet reports.
function alignPodIps(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (first) status.podIP = first;
}

/** Defaults of a pod template. Requests, host ports and service links wait for the pod itself. */
export function setPodTemplateDefaults(template: PodTemplateSpec | undefined): void {
  if (!template) return;
  const spec = (template.spec ??= { containers: [] });
  setPodSpecDefaults(spec);
}

function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  mirrorServiceAccountName(spec);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.containers ?? []) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container);
  roundUp(spec.overhead);
  roundUp(spec.resources?.limits);
  roundUp(spec.resources?.requests);
}

// `serviceAccount` is the old name of `serviceAccountName`: whatever is read back shows both.
function mirrorServiceAccountName(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function setContainerDefaults(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  container.resources ??= {};
  roundUp(container.resources.limits);
  roundUp(container.resources.requests);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setHttpGetDefaults(container.lifecycle?.postStart?.httpGet);
  setHttpGetDefaults(container.lifecycle?.preStop?.httpGet);
}

function setProbeDefaults(probe: Probe | undefined): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHttpGetDefaults(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function setHttpGetDefaults(action: HTTPGetAction | undefined): void {
  if (!action) return;
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}

function setVolumeDefaults(volume: Volume): void {
  if (Object.keys(volume).every(key => key === 'name')) volume.emptyDir = {};
  if (volume.image) volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference ?? '');
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.secret) volume.secret.defaultMode ??= defaultFileMode;
  if (volume.configMap) volume.configMap.defaultMode ??= defaultFileMode;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= defaultFileMode;
    for (const { fieldRef } of volume.downwardAPI.items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1';
  }
  if (volume.projected) {
    volume.projected.defaultMode ??= defaultFileMode;
    for (const source of volume.projected.sources ?? []) {
      for (const { fieldRef } of source.downwardAPI?.items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1';
      if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
    }
  }
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim) setClaimSpecDefaults((claim.spec ??= {}));
  setLegacyVolumeDefaults(volume);
}

function setLegacyVolumeDefaults(volume: Volume): void {
  if (volume.iscsi) volume.iscsi.iscsiInterface ||= 'default';
  if (volume.rbd) {
    volume.rbd.pool ||= 'rbd';
    volume.rbd.user ||= 'admin';
    volume.rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (volume.azureDisk) {
    volume.azureDisk.cachingMode ??= 'ReadWrite';
    volume.azureDisk.fsType ??= 'ext4';
    volume.azureDisk.readOnly ??= false;
    volume.azureDisk.kind ??= 'Shared';
  }
  if (volume.scaleIO) {
    volume.scaleIO.storageMode ||= 'ThinProvisioned';
    volume.scaleIO.fsType ||= 'xfs';
  }
}

/** Defaults of a claim inside another object; the claim kind itself has the same. */
export function setClaimSpecDefaults(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
  spec.resources ??= {};
  roundUp(spec.resources.limits);
  roundUp(spec.resources.requests);
}

function requestWhatIsLimited(container: Container): void {
  const limits = container.resources?.limits;
  if (!limits || Object.keys(limits).length === 0) return;
  const requests = (container.resources!.requests ??= {});
  for (const name in limits) requests[name] ??= limits[name]!;
}

function exposeOnHost(container: Container): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}

function defaultPodLevelLimits(spec: PodSpec): void {
  const resources = spec.resources;
  if (!resources || (isEmpty(resources.limits) && isEmpty(resources.requests))) return;
  const limits: Quantities = resources.limits ?? {};
  const aggregate = aggregateLimits(spec);
  for (const name in aggregate) {
    if (!isHugePageName(name) || resources.requests?.[name] !== undefined) continue;
    limits[name] ??= aggregate[name]!;
  }
  if (!isEmpty(limits)) resources.limits = limits;
}

function defaultPodLevelRequests(spec: PodSpec): void {
  const resources = spec.resources;
  if (!resources || isEmpty(resources.limits)) return;
  const requests: Quantities = resources.requests ?? {};
  const aggregate = aggregateRequests(spec);
  for (const name in aggregate) if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] ??= aggregate[name]!;
  for (const name in resources.limits) if (isPodLevelResource(name)) requests[name] ??= resources.limits[name]!;
  if (!isEmpty(requests)) resources.requests = requests;
}

const isEmpty = (map: object | undefined) => map === undefined || Object.keys(map).length === 0;

function roundUp(list: Quantities | undefined): void {
  for (const name in list) list[name] = roundUpToMilli(list[name]!);
}
