import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/object.ts';
import type { ClusterApi } from '../../apiserver/cluster-api.ts';

/** What every object that came out of the store has. */
export interface StoredIdentity {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta & { name: string; uid: string; creationTimestamp: string; resourceVersion: string };
}

/** A kind's type as the store holds it: with identity, and with the spec that validation asked for. */
export type Stored<T> = Omit<T, 'metadata' | 'spec' | 'apiVersion' | 'kind'> &
  StoredIdentity &
  (T extends { spec?: infer S } ? { spec: NonNullable<S> } : unknown);

/** Objects of the store, seen as the kind that the resource they were read from is known to hold. */
export const asStored = <T>(obj: KubeObject): Stored<T> => obj as unknown as Stored<T>;

/** The same object, as the verbs of the API take it. */
export const asObject = (obj: object): KubeObject => obj as KubeObject;

export const keyOf = ({ metadata }: { metadata: ObjectMeta }): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export const targetOf = ({ metadata }: { metadata: ObjectMeta }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });

export const isDeleting = ({ metadata }: { metadata: ObjectMeta }): boolean => metadata.deletionTimestamp !== undefined;

/** The one owner that manages the object, if it has one. */
export function controllerOf({ metadata }: { metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find(ref => ref.controller === true);
}

export function controllerRefTo({ apiVersion, kind, metadata }: StoredIdentity): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

/** The key of the controller that an object names, if that very object is still there. */
export function controllerKey(
  api: ClusterApi,
  of: { kind: string; group: string; resource: string },
  obj: { metadata: ObjectMeta },
): string | undefined {
  const ref = controllerOf(obj);
  const namespace = obj.metadata.namespace ?? '';
  if (ref?.kind !== of.kind || !ref.apiVersion.startsWith(of.group === '' ? 'v1' : `${of.group}/`)) return undefined;
  return api.peek(of, namespace, ref.name)?.metadata.uid === ref.uid ? `${namespace}/${ref.name}` : undefined;
}

/** Oldest first; equal times by name. */
export function byCreation(a: StoredIdentity, b: StoredIdentity): number {
  const [left, right] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (left !== right) return left < right ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
