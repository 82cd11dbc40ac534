import { at, duplicate, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { LoadBalancerStatus, ServicePort, ServiceSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { parseIp, validateLegacyCidr, validateLegacyIp } from '../../validation/ip.ts';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, isValidPortNum } from '../../../api/names.ts';
import { validateLabels } from '../../validation/object-meta.ts';
import { protocols, validatePortNumOrName } from '../../validation/ports.ts';
import { validateEndpointIp } from '../core/endpoints.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';
import { asService, isExternallyAccessible, isHeadless, needsHealthCheckPort, specOf } from './service-parts.ts';
import { validateAddressChange, validateClusterIpFields } from './validate-service-ips.ts';

const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const onlyForLoadBalancers = "may only be used when `type` is 'LoadBalancer'";
const sourceRangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const topologyHints = 'service.kubernetes.io/topology-aware-hints';
const topologyMode = 'service.kubernetes.io/topology-mode';

export function validateService(obj: KubeObject, old?: KubeObject): FieldError[] {
  const spec = specOf(obj);
  const oldSpec = old && specOf(old);
  return [
    ...validateTopology(obj),
    ...(!spec.ports?.length && !isHeadless(spec) && spec.type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...validateForType(spec),
    ...validatePorts(spec),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...validateAffinity(spec),
    ...validateClusterIpFields(spec, oldSpec),
    ...validateExternalIps(spec, oldSpec),
    ...validateType(spec),
    ...validateUniquePorts(spec),
    ...validateSourceRanges(obj, old),
    ...validateLoadBalancer(spec, undefined),
    ...validateTraffic(spec),
  ];
}

export function validateServiceUpdate(obj: KubeObject, old: KubeObject): FieldError[] {
  const spec = specOf(obj);
  const oldSpec = specOf(old);
  const isHealthPortMoved =
    needsHealthCheckPort(oldSpec) && needsHealthCheckPort(spec) && (spec.healthCheckNodePort ?? 0) !== (oldSpec.healthCheckNodePort ?? 0);
  return [
    ...validateAddressChange(spec, oldSpec),
    ...validateClass(spec, oldSpec),
    ...(isHealthPortMoved ? [forbidden('spec.healthCheckNodePort', 'field is immutable')] : []),
    ...validateService(obj, old),
  ];
}

function validateTopology(obj: KubeObject): FieldError[] {
  const { [topologyHints]: hints, [topologyMode]: mode } = obj.metadata.annotations ?? {};
  if (hints === undefined || mode === undefined || hints === mode) return [];
  return [invalid(at.key('metadata.annotations', topologyMode), mode, `must match annotations[${topologyHints}] when both are specified`)];
}

function validateForType(spec: ServiceSpec): FieldError[] {
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(spec))
    return [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`)];
  if (spec.type !== 'ExternalName') return [];
  const forExternalName = 'may not be set for ExternalName services';
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  return [
    ...(spec.clusterIPs?.length ? [forbidden('spec.clusterIPs', forExternalName)] : []),
    ...(spec.ipFamilies?.length ? [forbidden('spec.ipFamilies', forExternalName)] : []),
    ...(spec.ipFamilyPolicy !== undefined ? [forbidden('spec.ipFamilyPolicy', forExternalName)] : []),
    ...(name === '' ? [required('spec.externalName')] : invalidFor('spec.externalName', name, isDns1123Subdomain(name))),
  ];
}

function validatePorts(spec: ServiceSpec): FieldError[] {
  const names = new Set<string>();
  const ports = spec.ports ?? [];
  return ports.flatMap((port, i) => validatePort(port, ports.length > 1, names, at.index('spec.ports', i)));
}

function validatePort(port: ServicePort, needsName: boolean, names: Set<string>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const name = port.name ?? '';
  if (name !== '') {
    errors.push(...invalidFor(at.child(path, 'name'), name, isDns1123Label(name)));
    if (names.has(name)) errors.push(duplicate(at.child(path, 'name'), name));
    names.add(name);
  } else if (needsName) errors.push(required(at.child(path, 'name')));
  errors.push(...invalidFor(at.child(path, 'port'), port.port, isValidPortNum(port.port)));
  if (!port.protocol) errors.push(required(at.child(path, 'protocol')));
  else if (!oneOf(port.protocol, protocols)) errors.push(notSupported(at.child(path, 'protocol'), port.protocol, protocols));
  errors.push(...validatePortNumOrName(port.targetPort ?? 0, at.child(path, 'targetPort')));
  if (port.appProtocol !== undefined)
    errors.push(...invalidFor(at.child(path, 'appProtocol'), port.appProtocol, isQualifiedName(port.appProtocol)));
  return errors;
}

function validateAffinity(spec: ServiceSpec): FieldError[] {
  const affinity = spec.sessionAffinity ?? '';
  if (affinity === '') return [required('spec.sessionAffinity')];
  const path = 'spec.sessionAffinityConfig';
  if (affinity === 'None') return spec.sessionAffinityConfig ? [forbidden(path, 'must not be set when session affinity is None')] : [];
  if (affinity !== 'ClientIP') return [notSupported('spec.sessionAffinity', affinity, ['ClientIP', 'None'])];
  const why = 'when session affinity type is ClientIP';
  const clientIp = spec.sessionAffinityConfig?.clientIP;
  if (!spec.sessionAffinityConfig) return [required(path, why)];
  if (!clientIp) return [required(at.child(path, 'clientIP'), why)];
  const seconds = clientIp.timeoutSeconds;
  if (seconds === undefined) return [required(at.child(path, 'clientIP', 'timeoutSeconds'), why)];
  if (seconds > 0 && seconds <= 86400) return [];
  return [invalid(at.child(path, 'clientIP', 'timeoutSeconds'), seconds, 'must be greater than 0 and less than 86400')];
}

function validateExternalIps(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  return (spec.externalIPs ?? []).flatMap((address, i) => {
    const path = at.index('spec.externalIPs', i);
    const errors = validateLegacyIp(path, address, old?.externalIPs ?? []);
    return errors.length > 0 ? errors : validateEndpointIp(address, path);
  });
}

function validateType(spec: ServiceSpec): FieldError[] {
  if (!spec.type) return [required('spec.type')];
  if (!oneOf(spec.type, serviceTypes)) return [notSupported('spec.type', spec.type, serviceTypes)];
  if (spec.type !== 'ClusterIP') return [];
  return (spec.ports ?? []).flatMap((port, i) =>
    port.nodePort ? [forbidden(at.child(at.index('spec.ports', i), 'nodePort'), "may not be used when `type` is 'ClusterIP'")] : [],
  );
}

function validateUniquePorts(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const nodePorts = new Set<string>();
  for (const [i, { protocol, nodePort }] of (spec.ports ?? []).entries()) {
    if (!nodePort) continue;
    if (nodePorts.has(`${protocol}/${nodePort}`)) errors.push(duplicate(at.child(at.index('spec.ports', i), 'nodePort'), nodePort));
    nodePorts.add(`${protocol}/${nodePort}`);
  }
  const ports = new Set<string>();
  for (const [i, { protocol, port }] of (spec.ports ?? []).entries()) {
    // Go prints the internal port, where only these two fields were filled for the comparison.
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    if (ports.has(`${protocol}/${port}`)) errors.push(duplicate(at.index('spec.ports', i), shown));
    ports.add(`${protocol}/${port}`);
  }
  return errors;
}

function validateSourceRanges(obj: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = specOf(obj);
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const misplaced = (path: string) => (spec.type === 'LoadBalancer' ? [] : [forbidden(path, onlyForLoadBalancers)]);
  if (ranges.length > 0) {
    const path = 'spec.LoadBalancerSourceRanges';
    const known = (old ? (specOf(old).loadBalancerSourceRanges ?? []) : []).map(range => range.trim());
    return [...misplaced(path), ...ranges.flatMap((range, i) => validateLegacyCidr(at.index(path, i), range.trim(), known))];
  }
  const annotation = obj.metadata.annotations?.[sourceRangesAnnotation];
  if (annotation === undefined) return [];
  const path = at.key('metadata.annotations', sourceRangesAnnotation);
  const isUnchanged = old?.metadata.annotations?.[sourceRangesAnnotation] === annotation;
  const listed = isUnchanged || annotation.trim() === '' ? [] : annotation.trim().split(',');
  return [...misplaced(path), ...listed.flatMap(range => validateLegacyCidr(path, range.trim()))];
}

function validateLoadBalancer(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const isBalancer = spec.type === 'LoadBalancer';
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer)
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', onlyForLoadBalancers));
  if (isBalancer && spec.allocateLoadBalancerNodePorts === undefined) errors.push(required('allocateLoadBalancerNodePorts'));
  return [...errors, ...validateClass(spec, old)];
}

function validateClass(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const path = 'spec.loadBalancerClass';
  const name = spec.loadBalancerClass;
  const isBalancer = spec.type === 'LoadBalancer';
  const errors: FieldError[] = [];
  if (old?.type === 'LoadBalancer' && isBalancer && old.loadBalancerClass !== name)
    errors.push(invalid(path, name ?? null, 'may not change once set'));
  if (name === undefined) return errors;
  return [...errors, ...(isBalancer ? invalidFor(path, name, isQualifiedName(name)) : [forbidden(path, onlyForLoadBalancers)])];
}

function validateTraffic(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const external = spec.externalTrafficPolicy ?? '';
  if (!isExternallyAccessible(spec)) {
    if (external !== '') errors.push(invalid('spec.externalTrafficPolicy', external, 'may only be set for externally-accessible services'));
  } else if (external === '') errors.push(required('spec.externalTrafficPolicy'));
  else if (!oneOf(external, ['Cluster', 'Local'])) errors.push(notSupported('spec.externalTrafficPolicy', external, ['Cluster', 'Local']));

  const healthPort = spec.healthCheckNodePort ?? 0;
  const healthPath = 'spec.healthCheckNodePort';
  if (!needsHealthCheckPort(spec)) {
    if (healthPort !== 0)
      errors.push(invalid(healthPath, healthPort, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"));
  } else if (healthPort === 0) errors.push(required(healthPath));
  else errors.push(...invalidFor(healthPath, healthPort, isValidPortNum(healthPort)));

  const internal = spec.internalTrafficPolicy;
  if (internal === undefined && oneOf(spec.type, ['NodePort', 'LoadBalancer', 'ClusterIP']))
    errors.push(required('spec.internalTrafficPolicy'));
  if (internal !== undefined && !oneOf(internal, ['Cluster', 'Local']))
    errors.push(notSupported('spec.internalTrafficPolicy', internal, ['Cluster', 'Local']));

  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  if (spec.trafficDistribution !== undefined && !oneOf(spec.trafficDistribution, distributions))
    errors.push(notSupported('spec.trafficDistribution', spec.trafficDistribution, distributions));
  return errors;
}

export function validateServiceStatus(obj: KubeObject, old: KubeObject): FieldError[] {
  return validateLoadBalancerStatus(
    asService(obj).status?.loadBalancer,
    asService(old).status?.loadBalancer,
    specOf(obj).type === 'LoadBalancer',
  );
}

function validateLoadBalancerStatus(
  status: LoadBalancerStatus | undefined,
  old: LoadBalancerStatus | undefined,
  isBalancer: boolean,
): FieldError[] {
  const path = 'status.loadBalancer.ingress';
  const ingresses = status?.ingress ?? [];
  if (!isBalancer) return ingresses.length > 0 ? [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")] : [];
  const known = (old?.ingress ?? []).flatMap(ingress => (ingress.ip ? [ingress.ip] : []));
  const errors: FieldError[] = [];
  for (const [i, { ip = '', ipMode, hostname = '' }] of ingresses.entries()) {
    const here = at.index(path, i);
    if (ip !== '') errors.push(...validateLegacyIp(at.child(here, 'ip'), ip, known));
    if (ipMode === undefined && ip !== '') errors.push(required(at.child(here, 'ipMode'), 'must be specified when `ip` is set'));
    if (ipMode !== undefined && ip === '') errors.push(forbidden(at.child(here, 'ipMode'), 'may not be specified when `ip` is not set'));
    else if (ipMode !== undefined && !oneOf(ipMode, ['Proxy', 'VIP']))
      errors.push(notSupported(at.child(here, 'ipMode'), ipMode, ['Proxy', 'VIP']));
    if (hostname === '') continue;
    errors.push(...invalidFor(at.child(here, 'hostname'), hostname, isDns1123Subdomain(hostname)));
    if (parseIp(hostname)) errors.push(invalid(at.child(here, 'hostname'), hostname, 'must be a DNS name, not an IP address'));
  }
  return errors;
}
