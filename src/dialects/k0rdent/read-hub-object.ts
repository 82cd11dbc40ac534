import type { Kind } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';

/** Reads an object of the hub, and has an eye on it from then on. */
export type ReadObject = (ref: ObjectRef) => Promise<KubeObject | undefined>;

export const refTo = ({ group, version, kind }: Pick<Kind, 'group' | 'version' | 'kind'>, namespace: string, name: string): ObjectRef => ({
  group,
  version,
  kind,
  namespace,
  name,
});

export const secretRef = (namespace: string, name: string): ObjectRef =>
  refTo({ group: '', version: 'v1', kind: 'Secret' }, namespace, name);

/** The owner reference to a ClusterDeployment, or another object of k0rdent. */
export function ownedBy({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name!, uid: metadata.uid! };
}

/** For objects of which nobody has promised what they look like. */
export const asObject = (value: unknown): JsonObject => (isJsonObject(value as Json) ? (value as JsonObject) : {});
export const specOf = (obj: KubeObject | undefined): JsonObject => asObject(obj?.['spec']);
export const statusOf = (obj: KubeObject | undefined): JsonObject => asObject(obj?.['status']);
