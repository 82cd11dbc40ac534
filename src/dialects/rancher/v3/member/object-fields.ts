import type { KubeObject } from '../../../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../util/json.ts';
import { objectState } from '../../v1/object-state.ts';
import { creatorAnnotation } from '../resource-shape.ts';

/** What every object of a member is shown with: who it is, and how it does. Only what is needed of spec and status is added to it. */
export function objectFields(obj: KubeObject): JsonObject {
  const { metadata } = obj;
  const { creationTimestamp: created, deletionTimestamp: removed } = metadata;
  return {
    name: metadata.name ?? '',
    ...(metadata.namespace !== undefined && { namespaceId: metadata.namespace }),
    labels: { ...metadata.labels },
    annotations: { ...metadata.annotations },
    uuid: metadata.uid ?? null,
    created: created ?? null,
    ...(created !== undefined && { createdTS: Date.parse(created) }),
    ...(removed !== undefined && { removed, removedTS: Date.parse(removed) }),
    creatorId: metadata.annotations?.[creatorAnnotation] ?? null,
    ownerReferences: (metadata.ownerReferences ?? []) as unknown as Json,
    ...stateFieldsOf(obj),
  };
}

export function stateFieldsOf(obj: KubeObject): JsonObject {
  const { name, error, transitioning, message } = objectState(obj);
  return { state: name, transitioning: error ? 'error' : transitioning ? 'yes' : 'no', transitioningMessage: message };
}

/** The containers of a pod or of what makes pods, as clients print them. There is always one: the CLI of Rancher prints the first without looking. */
export function containersOf(podSpec: unknown): Json[] {
  const listed = isJsonObject(podSpec) && Array.isArray(podSpec['containers']) ? podSpec['containers'].filter(isJsonObject) : [];
  if (listed.length === 0) return [{ name: '', image: '' }];
  return listed.map(({ name = '', image = '', ports, resources }) => ({
    name,
    image,
    ...(ports !== undefined && { ports }),
    ...(resources !== undefined && { resources }),
  }));
}
