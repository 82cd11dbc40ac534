import type { Service, ServicePort } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Change, ClusterApi } from '../../../apiserver/cluster-api.ts';
import { jsonEqual } from '../../../util/json.ts';
import { isFinished, isReady, type StoredPod } from '../pod-state.ts';
import { asStored, isDeleting, keyOf, type Stored } from '../stored-object.ts';
import { pods } from '../workload-resources.ts';
import { services } from './service-resources.ts';

export type StoredService = Stored<Service>;

/** A port of a service as one pod offers it. */
export interface ResolvedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

export const isHeadless = ({ spec }: StoredService): boolean => spec.clusterIP === 'None';
export const hasSelector = ({ spec }: StoredService): boolean => spec.selector !== undefined && spec.type !== 'ExternalName';

/** The pods behind a service that have an address, whether they are ready or not. */
export function podsBehind(api: ClusterApi, service: StoredService): StoredPod[] {
  return api
    .peekAll(pods, service.metadata.namespace)
    .map(obj => asStored(obj) as StoredPod)
    .filter(pod => (pod.status?.podIP ?? '') !== '' && !isFinished(pod) && matches(service, pod.metadata.labels));
}

function matches({ spec }: StoredService, labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(spec.selector ?? {}).every(([key, value]) => labels[key] === value);
}

/** The ports of a service on a pod. Ports that the pod does not offer by that name are left out. */
export function resolvePorts({ spec }: StoredService, pod: StoredPod): ResolvedPort[] {
  return (spec.ports ?? []).flatMap(port => {
    const number = targetOf(port, pod);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function targetOf({ targetPort, port, protocol = 'TCP' }: ServicePort, { spec }: StoredPod): number | undefined {
  if (typeof targetPort !== 'string') return targetPort === undefined || targetPort === 0 ? port : targetPort;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const container of [...(spec.containers ?? []), ...sidecars]) {
    const found = (container.ports ?? []).find(one => one.name === targetPort && (one.protocol ?? 'TCP') === protocol);
    if (found) return found.containerPort;
  }
  return undefined;
}

/** A pod's own name under a headless service. */
export function hostnameOf({ metadata, spec }: StoredPod, service: StoredService): string | undefined {
  const isNamed = spec.hostname && spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return isNamed ? spec.hostname : undefined;
}

export const targetRefOf = ({ metadata }: StoredPod) => ({
  kind: 'Pod',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid,
});

/** Keys of the services that a change of a pod concerns. */
export function servicesOfPod(api: ClusterApi, { type, obj, old }: Change): string[] {
  if (type === 'MODIFIED' && old && !isNews(obj, old)) return [];
  const found = api.peekAll(services, obj.metadata.namespace).map(service => asStored(service) as StoredService);
  return found
    .filter(hasSelector)
    .filter(service => matches(service, obj.metadata.labels) || (old !== undefined && matches(service, old.metadata.labels)))
    .map(keyOf);
}

function isNews(obj: KubeObject, old: KubeObject): boolean {
  const [pod, before] = [asStored(obj) as StoredPod, asStored(old) as StoredPod];
  return (
    pod.status?.podIP !== before.status?.podIP ||
    isReady(pod) !== isReady(before) ||
    isDeleting(pod) !== isDeleting(before) ||
    isFinished(pod) !== isFinished(before) ||
    pod.spec.nodeName !== before.spec.nodeName ||
    !jsonEqual(pod.metadata.labels, before.metadata.labels)
  );
}

export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

/** When something last changed that decides about the endpoints of a service, as far as objects tell. */
export function triggerTime(service: StoredService, behind: readonly StoredPod[]): string {
  const times = behind.flatMap(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? []);
  return [service.metadata.creationTimestamp, ...times].sort().at(-1)!;
}
