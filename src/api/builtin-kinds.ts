import type { KindRef } from './define-kind.ts';
import type * as k8s from './kubernetes.ts';
import type { KubeObject } from './object.ts';

/** An object of Kubernetes' own with its fields known. */
type Builtin<T> = KubeObject & Omit<T, 'apiVersion' | 'kind' | 'metadata'>;

const clusterWide = <T>(group: string, version: string, kind: string, resource: string): KindRef<Builtin<T>> => ({
  group,
  version,
  kind,
  resource,
  scope: 'Cluster',
});

const namespaced = <T>(group: string, version: string, kind: string, resource: string): KindRef<Builtin<T>> => ({
  ...clusterWide<T>(group, version, kind, resource),
  scope: 'Namespaced',
});

const rbac = 'rbac.authorization.k8s.io';

export const Namespace = clusterWide<k8s.Namespace>('', 'v1', 'Namespace', 'namespaces');
export type Namespace = Builtin<k8s.Namespace>;
export const Node = clusterWide<k8s.Node>('', 'v1', 'Node', 'nodes');
export type Node = Builtin<k8s.Node>;
export const Pod = namespaced<k8s.Pod>('', 'v1', 'Pod', 'pods');
export type Pod = Builtin<k8s.Pod>;
export const ConfigMap = namespaced<k8s.ConfigMap>('', 'v1', 'ConfigMap', 'configmaps');
export type ConfigMap = Builtin<k8s.ConfigMap>;
export const Secret = namespaced<k8s.Secret>('', 'v1', 'Secret', 'secrets');
export type Secret = Builtin<k8s.Secret>;
export const ServiceAccount = namespaced<k8s.ServiceAccount>('', 'v1', 'ServiceAccount', 'serviceaccounts');
export type ServiceAccount = Builtin<k8s.ServiceAccount>;
export const Service = namespaced<k8s.Service>('', 'v1', 'Service', 'services');
export type Service = Builtin<k8s.Service>;
export const PersistentVolumeClaim = namespaced<k8s.PersistentVolumeClaim>('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export type PersistentVolumeClaim = Builtin<k8s.PersistentVolumeClaim>;
export const Deployment = namespaced<k8s.Deployment>('apps', 'v1', 'Deployment', 'deployments');
export type Deployment = Builtin<k8s.Deployment>;
export const ControllerRevision = namespaced<k8s.ControllerRevision>('apps', 'v1', 'ControllerRevision', 'controllerrevisions');
export type ControllerRevision = Builtin<k8s.ControllerRevision>;
export const Lease = namespaced<k8s.Lease>('coordination.k8s.io', 'v1', 'Lease', 'leases');
export type Lease = Builtin<k8s.Lease>;
export const Event = namespaced<k8s.EventsV1Event>('events.k8s.io', 'v1', 'Event', 'events');
export type Event = Builtin<k8s.EventsV1Event>;
export const ClusterRole = clusterWide<k8s.ClusterRole>(rbac, 'v1', 'ClusterRole', 'clusterroles');
export type ClusterRole = Builtin<k8s.ClusterRole>;
export const ClusterRoleBinding = clusterWide<k8s.ClusterRoleBinding>(rbac, 'v1', 'ClusterRoleBinding', 'clusterrolebindings');
export type ClusterRoleBinding = Builtin<k8s.ClusterRoleBinding>;
export const Role = namespaced<k8s.Role>(rbac, 'v1', 'Role', 'roles');
export type Role = Builtin<k8s.Role>;
export const RoleBinding = namespaced<k8s.RoleBinding>(rbac, 'v1', 'RoleBinding', 'rolebindings');
export type RoleBinding = Builtin<k8s.RoleBinding>;
export const TokenReview = clusterWide<k8s.TokenReview>('authentication.k8s.io', 'v1', 'TokenReview', 'tokenreviews');
export type TokenReview = Builtin<k8s.TokenReview>;
export const SubjectAccessReview = clusterWide<k8s.SubjectAccessReview>(
  'authorization.k8s.io',
  'v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
);
export type SubjectAccessReview = Builtin<k8s.SubjectAccessReview>;
export const SelfSubjectRulesReview = clusterWide<k8s.SelfSubjectRulesReview>(
  'authorization.k8s.io',
  'v1',
  'SelfSubjectRulesReview',
  'selfsubjectrulesreviews',
);
export type SelfSubjectRulesReview = Builtin<k8s.SelfSubjectRulesReview>;
export const CustomResourceDefinition = clusterWide<k8s.CustomResourceDefinition>(
  'apiextensions.k8s.io',
  'v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);
export type CustomResourceDefinition = Builtin<k8s.CustomResourceDefinition>;
