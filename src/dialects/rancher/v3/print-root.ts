import { managementGroup } from '../names.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { NormanContext } from './norman-context.ts';
import type { TypeTable } from './norman-type.ts';
import { collectionUrl } from './print-resource.ts';

/** What there is at a root: one link for each type that can be listed. */
export function printRoot(ctx: NormanContext, table: TypeTable): JsonObject {
  const path = new URL(ctx.root).pathname;
  const listable = table.types.filter(type => type.store && type.collectionMethods.includes('GET'));
  return {
    id: path,
    type: 'apiRoot',
    baseType: 'apiRoot',
    apiVersion: { group: managementGroup, path, version: 'v3' },
    links: {
      self: ctx.root,
      root: ctx.root,
      schemas: `${ctx.root}/schemas`,
      ...Object.fromEntries(listable.map(type => [type.plural, collectionUrl(ctx, type)])),
    },
    actions: {},
  };
}
