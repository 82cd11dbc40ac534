import { managementGroup } from '../names.ts';
import type { JsonObject } from '../../../util/json.ts';
import { modifiersOf } from './list-query.ts';
import type { NormanContext } from './norman-context.ts';
import type { Field, NormanAction, NormanType, TypeTable } from './norman-type.ts';
import { collectionUrl } from './print-resource.ts';

/** Every type of a root, as clients that generate themselves read them. */
export function printSchemas(ctx: NormanContext, table: TypeTable): JsonObject {
  return {
    type: 'collection',
    resourceType: 'schema',
    links: { self: `${ctx.root}/schemas` },
    createTypes: {},
    actions: {},
    pagination: { limit: 1000, total: table.types.length },
    sort: { order: 'asc', reverse: `${ctx.root}/schemas?order=desc`, links: {} },
    filters: {},
    data: table.types.map(type => printSchema(ctx, type)),
  };
}

export function printSchema(ctx: NormanContext, type: NormanType): JsonObject {
  const { id, plural, fields, store } = type;
  const filterable = Object.entries(fields).filter(([, field]) => modifiersOf(field).length > 0);
  return {
    id,
    type: 'schema',
    baseType: 'schema',
    pluralName: plural,
    links: { self: `${ctx.root}/schemas/${id}`, ...(store && { collection: collectionUrl(ctx, type) }) },
    actions: {},
    version: { group: managementGroup, path: new URL(ctx.root).pathname, version: 'v3' },
    collectionMethods: [...type.collectionMethods],
    resourceMethods: [...type.resourceMethods],
    resourceFields: Object.fromEntries([
      ['id', printField({ type: 'string' })],
      ...Object.entries(fields).map(([name, field]) => [name, printField(field)] as const),
    ]),
    resourceActions: printActions(type.resourceActions),
    collectionActions: printActions(type.collectionActions),
    collectionFilters: Object.fromEntries(filterable.map(([name, field]) => [name, { modifiers: [...modifiersOf(field)] }])),
  };
}

function printField({ at: _, create = false, update = false, required = false, nullable, options, type, ...rest }: Field): JsonObject {
  return {
    type,
    create,
    update,
    required,
    nullable: nullable ?? !required,
    ...(options && { options: [...options] }),
    ...(rest as JsonObject),
  };
}

function printActions(actions: Readonly<Record<string, NormanAction>> = {}): JsonObject {
  const print = ({ input, output }: NormanAction) => ({ ...(input !== undefined && { input }), ...(output !== undefined && { output }) });
  return Object.fromEntries(Object.entries(actions).map(([name, action]) => [name, print(action)]));
}
