import type { KubeObject } from '../../../../api/object.ts';
import { noGrants, type Entry, type Fields, type NormanType, type TypeStore } from '../norman-type.ts';
import { commonFields, stateFields } from '../resource-shape.ts';
import type { NormanContext } from '../norman-context.ts';

/** What is shown of a project and changed elsewhere: with kubectl, or by what made it. */
export interface ProjectTypeOptions {
  readonly id: string;
  readonly plural: string;
  readonly fields: Fields;
  list(ctx: NormanContext): Promise<readonly Entry[]>;
}

export function projectType({ id, plural, fields, list }: ProjectTypeOptions): NormanType {
  const store: TypeStore = {
    list,
    get: async (ctx, wanted) => (await list(ctx)).find(entry => entry.id === wanted),
  };
  return {
    id,
    plural,
    fields: {
      ...commonFields,
      ...stateFields,
      namespaceId: { type: 'reference[namespace]' },
      projectId: { type: 'reference[project]' },
      ...fields,
    },
    collectionMethods: ['GET'],
    resourceMethods: ['GET'],
    store,
  };
}

export function entryOf(id: string, fields: Entry['fields'], type?: string): Entry {
  return { id, fields, grants: async () => noGrants, ...(type !== undefined && { type }) };
}

/** `namespace:name`. */
export const idOf = ({ metadata: { namespace = '', name = '' } }: KubeObject) => `${namespace}:${name}`;
