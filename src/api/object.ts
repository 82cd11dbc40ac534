import type { Json, JsonObject } from '../util/json.ts';

/** Any object of the Kubernetes API. Treat objects that came from a store or an informer as immutable. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

export interface GroupResource {
  group: string;
  resource: string;
}

export interface GroupVersionResource extends GroupResource {
  version: string;
}

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(gv: { group: string; version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `deployments.apps`, or `pods` for the core group: the form that messages use. */
export function qualifiedResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `Deployment.apps`, or `Pod` for the core group. */
export function qualifiedKind({ group, kind }: { group: string; kind: string }): string {
  return group === '' ? kind : `${kind}.${group}`;
}

export type { Json, JsonObject };

/** Whether one version of an object is older than another: they are numbers that grow. What is no number cannot be compared. */
export function isOlderVersion(version = '', than = ''): boolean {
  return /^[0-9]+$/.test(version) && /^[0-9]+$/.test(than) && BigInt(version) < BigInt(than);
}

/** Where kubectl notes the whole of what was applied, values of Secrets included. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
