import type { Json, JsonObject } from '../../../util/json.ts';
import type { NormanContext } from './norman-context.ts';
import { modifiersOf, type ListQuery, type Page } from './list-query.ts';
import type { NormanType, TypeTable } from './norman-type.ts';
import { actionsName, collectionUrl, printResource } from './print-resource.ts';

export interface Listed {
  readonly query: ListQuery;
  readonly page: Page;
}

/** A collection, or a page of one. */
export async function printCollection(
  ctx: NormanContext,
  table: TypeTable,
  type: NormanType,
  { query, page }: Listed,
): Promise<JsonObject> {
  const url = collectionUrl(ctx, type);
  const canCreate = type.collectionMethods.includes('POST') && ((await type.store?.mayCreate?.(ctx)) ?? false);
  const actions = Object.keys(type.collectionActions ?? {}).map(name => [name, `${url}?action=${name}`]);
  return {
    type: 'collection',
    resourceType: type.id,
    links: { self: url },
    createTypes: canCreate ? { [type.id]: url } : {},
    [actionsName(ctx)]: Object.fromEntries(actions),
    pagination: paginationOf(ctx, url, query, page),
    sort: sortOf(url, type, query),
    filters: filtersOf(type, query),
    data: await Promise.all(page.items.map(entry => printResource(ctx, table, type, entry))),
  };
}

function paginationOf(ctx: NormanContext, url: string, { limit }: ListQuery, page: Page): JsonObject {
  const whole = { limit, total: page.total };
  if (!page.isPartial) return whole;
  const at = (marker: string | undefined) => {
    const query = new URLSearchParams(ctx.query);
    query.delete('marker');
    if (marker !== undefined) query.set('marker', marker);
    return `${url}?${query}`;
  };
  return {
    ...whole,
    partial: true,
    first: at(undefined),
    ...(page.previous !== undefined && { previous: at(page.previous) }),
    ...(page.next !== undefined && { next: at(page.next) }),
    ...(page.last !== undefined && { last: at(page.last) }),
  };
}

function filterable(type: NormanType): string[] {
  return Object.keys(type.fields).filter(name => modifiersOf(type.fields[name]!).length > 0);
}

function sortOf(url: string, type: NormanType, { sort, isDescending }: ListQuery): JsonObject {
  const by = sort === 'id' ? '' : `sort=${sort}&`;
  return {
    ...(sort !== 'id' && { name: sort }),
    order: isDescending ? 'desc' : 'asc',
    reverse: `${url}?${by}order=${isDescending ? 'asc' : 'desc'}`,
    links: Object.fromEntries(filterable(type).map(name => [name, `${url}?sort=${name}`])),
  };
}

function filtersOf(type: NormanType, { filters }: ListQuery): JsonObject {
  const used = (field: string): Json => {
    const own = filters.filter(filter => filter.field === field);
    if (own.length === 0) return null;
    return own.flatMap(({ modifier, values }) =>
      (modifier === 'eq' || modifier === 'ne' ? values.slice(0, 1) : values).map(value => ({ modifier, value })),
    );
  };
  return Object.fromEntries(['id', ...filterable(type)].map(name => [name, used(name)]));
}
