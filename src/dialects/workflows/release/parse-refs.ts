import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { knownObjects } from './release-record.ts';
import type { OfflineInput } from './step.ts';

const apps = { group: 'apps', version: 'v1' };
const core = { group: '', version: 'v1' };
const batch = { group: 'batch', version: 'v1' };
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const network = { group: 'networking.k8s.io', version: 'v1' };

const groups: Readonly<Record<string, { group: string; version: string; isClusterWide?: true }>> = {
  Namespace: { ...core, isClusterWide: true },
  PersistentVolume: { ...core, isClusterWide: true },
  ResourceQuota: core,
  LimitRange: core,
  Secret: core,
  ConfigMap: core,
  PersistentVolumeClaim: core,
  ServiceAccount: core,
  Service: core,
  Endpoints: core,
  Pod: core,
  ReplicationController: core,
  DaemonSet: apps,
  ReplicaSet: apps,
  Deployment: apps,
  StatefulSet: apps,
  Job: batch,
  CronJob: batch,
  Role: rbac,
  RoleBinding: rbac,
  ClusterRole: { ...rbac, isClusterWide: true },
  ClusterRoleBinding: { ...rbac, isClusterWide: true },
  Ingress: network,
  IngressClass: { ...network, isClusterWide: true },
  NetworkPolicy: network,
  HorizontalPodAutoscaler: { group: 'autoscaling', version: 'v2' },
  PodDisruptionBudget: { group: 'policy', version: 'v1' },
  StorageClass: { group: 'storage.k8s.io', version: 'v1', isClusterWide: true },
  PriorityClass: { group: 'scheduling.k8s.io', version: 'v1', isClusterWide: true },
  CustomResourceDefinition: { group: 'apiextensions.k8s.io', version: 'v1', isClusterWide: true },
  APIService: { group: 'apiregistration.k8s.io', version: 'v1', isClusterWide: true },
  DeploymentConfig: { group: 'apps.openshift.io', version: 'v1' },
  VirtualService: { group: 'networking.istio.io', version: 'v1beta1' },
  DestinationRule: { group: 'networking.istio.io', version: 'v1beta1' },
};
const kinds = new Map(Object.keys(groups).map(kind => [kind.toLowerCase(), kind]));

type Known = Pick<OfflineInput, 'present' | 'book' | 'release'>;

/** Reads "[namespace/]Kind/Name, …". Kinds that are not Kubernetes' own are known from what the releases hold. Answers a message when it cannot. */
export function parseRefs(text: string, known: Known): ObjectRef[] | string {
  const refs: ObjectRef[] = [];
  for (const item of text.split(',').map(one => one.trim())) {
    if (item === '') continue;
    const ref = parseRef(item, known);
    if (typeof ref === 'string') return ref;
    refs.push(ref);
  }
  return refs;
}

export function parseRef(text: string, known: Known): ObjectRef | string {
  const parts = text.split('/');
  const [name, kind, namespace] = [parts.at(-1) ?? '', parts.at(-2) ?? '', parts.at(-3)];
  if (parts.length > 3 || name === '' || kind === '' || namespace === '') {
    return `Invalid Kubernetes resource name ${text}. Should be in format Kind/Name`;
  }
  const place = namespace ?? known.release.namespace;
  const isMeant = ({ kind: other, metadata }: KubeObject) =>
    other.toLowerCase() === kind.toLowerCase() && metadata.name === name && (metadata.namespace ?? place) === place;
  const found = known.present.find(isMeant) ?? known.book.records.flatMap(knownObjects).find(isMeant);
  if (found) return refOf(found);
  const proper = kinds.get(kind.toLowerCase());
  const group = proper === undefined ? undefined : groups[proper];
  if (proper === undefined || !group) return `Unknown Kubernetes resource kind ${kind} in ${text}`;
  const { isClusterWide = false, ...version } = group;
  return { ...version, kind: proper, name, ...(!isClusterWide && { namespace: place }) };
}
