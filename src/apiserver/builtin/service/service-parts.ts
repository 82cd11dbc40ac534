import type { Service, ServiceSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';

export const asService = (obj: KubeObject) => obj as unknown as Service;
export const specOf = (obj: KubeObject): ServiceSpec => (asService(obj).spec ??= {});

export const needsClusterIp = (spec: ServiceSpec) => spec.type !== 'ExternalName';
export const isHeadless = (spec: ServiceSpec) => spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';
export const usesNodePorts = (spec: ServiceSpec) => spec.type === 'NodePort' || spec.type === 'LoadBalancer';
export const shouldAllocateNodePorts = (spec: ServiceSpec) =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && (spec.allocateLoadBalancerNodePorts ?? true));
export const needsHealthCheckPort = (spec: ServiceSpec) => spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
export const isExternallyAccessible = (spec: ServiceSpec) =>
  usesNodePorts(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);

export const sameList = (a: readonly unknown[] | undefined, b: readonly unknown[] | undefined) =>
  (a ?? []).length === (b ?? []).length && (a ?? []).every((item, i) => item === b?.[i]);

export const nodePortsOf = (spec: ServiceSpec) => (spec.ports ?? []).map(port => port.nodePort ?? 0).filter(port => port !== 0);
