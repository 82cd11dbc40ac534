import { at } from '../../../api/field-error.ts';
import type { ServiceSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { WriteContext } from '../../resource.ts';
import { warningsForCidr, warningsForIp } from '../../validation/ip.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver } from '../kind-parts.ts';
import { allocateAddresses, initFamilies, normalizeClusterIps, type Allocation } from './service-addresses.ts';
import { setServiceDefaults } from './service-defaults.ts';
import { ownerOf, serviceNetworkOf } from './service-network.ts';
import {
  asService,
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheckPort,
  nodePortsOf,
  sameList,
  shouldAllocateNodePorts,
  specOf,
  usesNodePorts,
} from './service-parts.ts';
import { allocateNodePorts } from './service-ports.ts';
import { validateService, validateServiceStatus, validateServiceUpdate } from './validate-service.ts';

const endpoints = { group: '', version: 'v1', resource: 'endpoints' };

const allocationFor = (obj: KubeObject, ctx: WriteContext): Allocation => ({
  name: obj.metadata.name ?? '',
  isNameless: !obj.metadata.name && !obj.metadata.generateName,
  owner: ownerOf(obj),
  network: serviceNetworkOf(ctx.api),
  dryRun: ctx.dryRun,
});

function allocate(obj: KubeObject, old: KubeObject | undefined, ctx: WriteContext): void {
  const spec = specOf(obj);
  const oldSpec = old && specOf(old);
  const allocation = allocationFor(obj, ctx);
  if (oldSpec) keepAllocated(spec, oldSpec);
  normalizeClusterIps(spec, oldSpec);
  initFamilies(spec, oldSpec, allocation);
  allocateAddresses(spec, oldSpec, allocation);
  allocateNodePorts(spec, oldSpec, allocation);
}

// A client that read a service before it had an address, or leaves the address out, does not take it away.
function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  }
  if (shouldAllocateNodePorts(old) && shouldAllocateNodePorts(spec)) {
    const wanted = nodePortsOf(spec);
    const inUse = new Set(nodePortsOf(old).filter(port => wanted.includes(port)));
    const byName = new Map((old.ports ?? []).map(port => [port.name ?? '', port.nodePort ?? 0]));
    for (const port of spec.ports ?? []) {
      const last = byName.get(port.name ?? '') ?? 0;
      if (!port.nodePort && last !== 0 && !inUse.has(last)) port.nodePort = last;
    }
  }
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && !spec.healthCheckNodePort && old.healthCheckNodePort)
    spec.healthCheckNodePort = old.healthCheckNodePort;
}

// Fields that only the old type knows go with it, unless the client set them anew.
function dropFieldsOfOldType(obj: KubeObject, spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    if ((old.clusterIP ?? '') === (spec.clusterIP ?? '') && sameList(old.clusterIPs, spec.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameList(old.ipFamilies, spec.ipFamilies)) delete spec.ipFamilies;
    if (old.ipFamilyPolicy === spec.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  const before = nodePortsOf(old);
  if (usesNodePorts(old) && !usesNodePorts(spec) && nodePortsOf(spec).every(port => before.includes(port)))
    for (const port of spec.ports ?? []) delete port.nodePort;
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec) && old.healthCheckNodePort === spec.healthCheckNodePort)
    delete spec.healthCheckNodePort;
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (old.allocateLoadBalancerNodePorts === spec.allocateLoadBalancerNodePorts) delete spec.allocateLoadBalancerNodePorts;
    if (old.loadBalancerClass === spec.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec) && old.externalTrafficPolicy === spec.externalTrafficPolicy)
    delete spec.externalTrafficPolicy;
  if (spec.type !== 'LoadBalancer') asService(obj).status = { ...asService(obj).status, loadBalancer: {} };
}

// There is no traffic inside to a name outside; the server never shows a policy for it.
function hideInternalPolicy(spec: ServiceSpec): void {
  if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy;
}

function warnings(obj: KubeObject): string[] {
  const spec = specOf(obj);
  const found: string[] = [];
  const isHeadless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  const externalIps = spec.externalIPs ?? [];
  if ('service.kubernetes.io/topology-aware-hints' in (obj.metadata.annotations ?? {}))
    found.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    );
  if (spec.clusterIP && spec.clusterIP !== 'None')
    found.push(...(spec.clusterIPs ?? []).flatMap((address, i) => warningsForIp(at.index('spec.clusterIPs', i), address)));
  if (isHeadless && spec.loadBalancerIP) found.push('spec.loadBalancerIP is ignored for headless services');
  if (isHeadless && externalIps.length > 0) found.push('spec.externalIPs is ignored for headless services');
  if (isHeadless && spec.sessionAffinity !== 'None') found.push('spec.SessionAffinity is ignored for headless services');
  found.push(...externalIps.flatMap((address, i) => warningsForIp(at.index('spec.externalIPs', i), address)));
  if (externalIps.length > 0 && !isHeadless && spec.type !== 'ExternalName')
    found.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  if (spec.loadBalancerIP) found.push(...warningsForIp('spec.loadBalancerIP', spec.loadBalancerIP));
  found.push(
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, i) => warningsForCidr(at.index('spec.loadBalancerSourceRanges', i), range)),
  );
  if (spec.type === 'ExternalName' && externalIps.length > 0) found.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== 'ExternalName' && spec.externalName) found.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose') found.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return found;
}

export const serviceKind: BuiltinKind = {
  setDefaults: setServiceDefaults,
  selectableFields: {
    'spec.clusterIP': obj => asService(obj).spec?.clusterIP ?? '',
    'spec.type': obj => asService(obj).spec?.type ?? '',
  },
  strategy: {
    nameRule: 'label',
    hasStatus: true,
    allowCreateOnUpdate: true,
    returnsDeletedObject: true,
    resetFields: { '': [['status']], status: [['spec']] },
    // Addresses are chosen before validation, which expects them; the network reserves what it gave out until the commit.
    prepareForCreate(obj, ctx) {
      allocate(obj, undefined, ctx);
      hideInternalPolicy(specOf(obj));
      asService(obj).status = { loadBalancer: {} };
    },
    prepareForUpdate(obj, old, ctx) {
      allocate(obj, old, ctx);
      carryOver(obj, old, 'status');
      dropFieldsOfOldType(obj, specOf(obj), specOf(old));
      hideInternalPolicy(specOf(obj));
    },
    prepareForStatusUpdate: (obj, old) => carryOver(obj, old, 'spec'),
    async afterDelete({ metadata: { namespace = '', name = '' } }, ctx) {
      if (!ctx.api.peek(endpoints, namespace, name)) return;
      await ctx.api.delete(endpoints, { namespace, name }).catch(error => {
        if (!(error instanceof StatusError && error.code === 404)) throw error;
      });
    },
    validate: obj => validateService(obj),
    validateUpdate: validateServiceUpdate,
    validateStatusUpdate: validateServiceStatus,
    warningsOnCreate: warnings,
    warningsOnUpdate(obj, _old, ctx) {
      if (ctx.subresource !== 'status') return warnings(obj);
      return (asService(obj).status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, i) =>
        ip ? warningsForIp(`status.loadBalancer.ingress[${i}]`, ip) : [],
      );
    },
  },
};
