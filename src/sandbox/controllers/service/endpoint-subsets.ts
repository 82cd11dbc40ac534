import type { EndpointAddress, EndpointSubset } from '../../../api/kubernetes.ts';
import { isReady, type StoredPod } from '../pod-state.ts';
import { isDeleting } from '../stored-object.ts';
import { hostnameOf, resolvePorts, targetRefOf, type ResolvedPort, type StoredService } from './service-pods.ts';

export const maxAddresses = 1000;

/** The addresses behind a service, those with the same ports together, in a fixed order. Pods that are ending are left out. */
export function subsetsOf(service: StoredService, pods: readonly StoredPod[]): EndpointSubset[] {
  const groups = new Map<string, { ports: ResolvedPort[]; ready: EndpointAddress[]; notReady: EndpointAddress[] }>();
  for (const pod of pods) {
    const publishes = service.spec.publishNotReadyAddresses === true;
    if (isDeleting(pod) && !publishes) continue;
    const ports = resolvePorts(service, pod);
    if (ports.length === 0 && (service.spec.ports ?? []).length > 0) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, ready: [], notReady: [] };
    groups.set(key, group);
    (isReady(pod) || publishes ? group.ready : group.notReady).push(addressOf(service, pod));
  }
  return [...groups.values()]
    .toSorted((a, b) => (JSON.stringify(a.ports) < JSON.stringify(b.ports) ? -1 : 1))
    .map(({ ports, ready, notReady }) => ({
      ...(ready.length > 0 && { addresses: ready.toSorted(byIp).slice(0, maxAddresses) }),
      ...(notReady.length > 0 && {
        notReadyAddresses: notReady.toSorted(byIp).slice(0, maxAddresses - Math.min(ready.length, maxAddresses)),
      }),
      ...(ports.length > 0 && { ports: ports.map(({ name, ...port }) => (name === '' ? port : { name, ...port })) }),
    }));
}

function addressOf(service: StoredService, pod: StoredPod): EndpointAddress {
  const hostname = hostnameOf(pod, service);
  return {
    ip: pod.status?.podIP ?? '',
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec.nodeName && { nodeName: pod.spec.nodeName }),
    targetRef: targetRefOf(pod),
  };
}

const byIp = (a: EndpointAddress, b: EndpointAddress) => (a.ip === b.ip ? 0 : a.ip < b.ip ? -1 : 1);
