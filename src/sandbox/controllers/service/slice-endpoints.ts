import type { DiscoveryV1EndpointPort, Endpoint, EndpointSlice, Node } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import { isReady, type StoredPod } from '../pod-state.ts';
import { controllerRefTo, isDeleting, type Stored } from '../stored-object.ts';
import { headlessLabel, serviceNameLabel, sliceManagerLabel } from './service-resources.ts';
import { hostnameOf, isHeadless, resolvePorts, targetRefOf, triggerTimeAnnotation, type StoredService } from './service-pods.ts';

export type StoredSlice = Stored<EndpointSlice>;

/** Endpoints with the same ports, which may share slices. */
export interface PortGroup {
  readonly ports: readonly DiscoveryV1EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** What all slices of a service have in common. */
export interface SliceSource {
  readonly service: StoredService;
  /** When something last changed behind the service. */
  readonly changedAt: string;
}

export interface SlicePlan {
  readonly creates: readonly KubeObject[];
  readonly updates: readonly KubeObject[];
  readonly deletes: readonly StoredSlice[];
}

export const maxEndpoints = 100;
export const sliceManager = 'endpointslice-controller.k8s.io';

/** What a service's slices should say, grouped by ports. A service without pods still has one group. */
export function groupEndpoints(
  service: StoredService,
  pods: readonly StoredPod[],
  nodeOf: (name: string) => Node | undefined,
): PortGroup[] {
  const groups = new Map<string, { ports: DiscoveryV1EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods) {
    const ports = resolvePorts(service, pod);
    const key = JSON.stringify(ports);
    const group: { ports: DiscoveryV1EndpointPort[]; endpoints: Endpoint[] } = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpointOf(service, pod, nodeOf(pod.spec.nodeName ?? '')));
  }
  return groups.size > 0 ? [...groups.values()] : [{ ports: [], endpoints: [] }];
}

function endpointOf(service: StoredService, pod: StoredPod, node: Node | undefined): Endpoint {
  const serving = isReady(pod);
  const terminating = isDeleting(pod);
  const hostname = hostnameOf(pod, service);
  const zone = node?.metadata?.labels?.['topology.kubernetes.io/zone'];
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready: service.spec.publishNotReadyAddresses === true || (serving && !terminating), serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: targetRefOf(pod),
    nodeName: pod.spec.nodeName ?? '',
    ...(zone !== undefined && { zone }),
  };
}

/** How the present slices become what they should be: endpoints stay where they are, so that few slices change. */
export function planSlices(source: SliceSource, groups: readonly PortGroup[], present: readonly StoredSlice[]): SlicePlan {
  const creates: KubeObject[] = [];
  const updates: KubeObject[] = [];
  const unused = new Set(present.filter(slice => slice.addressType === 'IPv4'));
  for (const { ports, endpoints } of groups) {
    const left = new Map(endpoints.map(endpoint => [identityOf(endpoint), endpoint]));
    const own = [...unused].filter(slice => jsonEqual(slice.ports ?? [], ports));
    const filled = own.map(slice => {
      const kept = (slice.endpoints ?? []).flatMap(endpoint => {
        const current = left.get(identityOf(endpoint));
        left.delete(identityOf(endpoint));
        return current ? [current] : [];
      });
      return { slice, endpoints: kept };
    });
    for (const fill of filled) while (fill.endpoints.length < maxEndpoints && left.size > 0) fill.endpoints.push(takeFirst(left));
    const isPlaceholder = endpoints.length === 0;
    for (const [i, fill] of filled.entries()) {
      if (fill.endpoints.length === 0 && !(isPlaceholder && i === 0)) continue;
      unused.delete(fill.slice);
      const next = sliceFor(source, ports, fill.endpoints, fill.slice);
      if (!jsonEqual(next, fill.slice)) updates.push(next);
    }
    while (left.size > 0)
      creates.push(
        sliceFor(
          source,
          ports,
          Array.from({ length: Math.min(left.size, maxEndpoints) }, () => takeFirst(left)),
        ),
      );
    if (isPlaceholder && own.length === 0) creates.push(sliceFor(source, ports, []));
  }
  return { creates, updates, deletes: [...unused, ...present.filter(slice => slice.addressType !== 'IPv4')] };
}

const identityOf = ({ addresses, targetRef }: Endpoint) => targetRef?.uid ?? addresses.join();

function takeFirst(left: Map<string, Endpoint>): Endpoint {
  const [[key, endpoint]] = left as unknown as [[string, Endpoint]];
  left.delete(key);
  return endpoint;
}

function sliceFor(
  { service, changedAt }: SliceSource,
  ports: readonly DiscoveryV1EndpointPort[],
  endpoints: readonly Endpoint[],
  present?: StoredSlice,
): KubeObject {
  const { name, namespace = '' } = service.metadata;
  const labels = {
    ...service.metadata.labels,
    [serviceNameLabel]: name,
    [sliceManagerLabel]: sliceManager,
    ...(isHeadless(service) && { [headlessLabel]: '' }),
  };
  const annotations = { [triggerTimeAnnotation]: changedAt };
  const content = { addressType: 'IPv4', endpoints, ports: ports.length > 0 ? ports : null };
  if (present) return { ...present, ...content, metadata: { ...present.metadata, labels, annotations } } as unknown as KubeObject;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { generateName: `${name}-`, namespace, labels, annotations, ownerReferences: [controllerRefTo(service)] },
    ...content,
  };
}
