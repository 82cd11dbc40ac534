import type { KubeObject } from '../../../api/object.ts';
import { idOf, kindStore, type KindStore, type KindStoreOptions } from './kind-store.ts';
import type { Fields, NormanType } from './norman-type.ts';
import { commonFields, stateFields } from './resource-shape.ts';

export interface KindTypeOptions<T extends KubeObject> extends Omit<KindStoreOptions<T>, 'shape'> {
  readonly id: string;
  readonly plural: string;
  /** Besides those that every resource has. */
  readonly fields: Fields;
  readonly isFlat?: boolean;
  readonly isStateful?: boolean;
  readonly resourceMethods: NormanType['resourceMethods'];
  readonly collectionActions?: NormanType['collectionActions'];
  readonly resourceActions?: NormanType['resourceActions'];
  readonly hasLabelSelector?: boolean;
  schemasOf?(id: string): string;
}

/** A type whose resources are the objects of a kind. */
export function kindType<T extends KubeObject>(options: KindTypeOptions<T>): NormanType & { store: KindStore<T> } {
  const { id, plural, isFlat = false, isStateful = false, resourceMethods, hasLabelSelector = false, prefix } = options;
  const { collectionActions, resourceActions, schemasOf } = options;
  const fields = { ...commonFields, ...(isStateful && stateFields), ...options.fields };
  return {
    id,
    plural,
    fields,
    collectionMethods: prefix === undefined ? ['GET'] : ['GET', 'POST'],
    resourceMethods,
    hasLabelSelector,
    ...(collectionActions && { collectionActions }),
    ...(resourceActions && { resourceActions }),
    ...(schemasOf && { schemasOf }),
    follows: { kinds: [options.kind], idOf },
    store: kindStore({ ...options, shape: { fields, isFlat, isStateful } }),
  };
}

/** Set when something is made and never again. */
export const once = { create: true } as const;
/** Set whenever somebody may. */
export const always = { create: true, update: true } as const;
