import { printJson, type Json, type JsonObject } from '../../../util/json.ts';
import type { NormanContext } from './norman-context.ts';
import { modifiersOf, type ListQuery, type Page } from './list-query.ts';
import type { NormanType, TypeTable } from './norman-type.ts';
import { actionsName, collectionUrl, grantsOf, resourcePrinter } from './print-resource.ts';

export interface Listed {
  readonly query: ListQuery;
  readonly page: Page;
}

/** A collection, or a page of one. */
export async function printCollection(ctx: NormanContext, table: TypeTable, type: NormanType, listed: Listed): Promise<JsonObject> {
  const { items } = listed.page;
  const { frameOf } = resourcePrinter(ctx, table, type);
  const grants = await grantsOf(items);
  const data = items.map((entry, i) => ({ ...entry.fields(), ...frameOf(entry, grants[i]!) }));
  return { ...(await headOf(ctx, type, listed)), data };
}

/** The same as JSON. Long lists are put together from what was printed for others before. */
export async function printCollectionText(ctx: NormanContext, table: TypeTable, type: NormanType, listed: Listed): Promise<string> {
  const { items } = listed.page;
  const { textOf } = resourcePrinter(ctx, table, type);
  const grants = await grantsOf(items);
  const data = items.map((entry, i) => textOf(entry, grants[i]!));
  const head = printJson(await headOf(ctx, type, listed));
  return `${head.slice(0, -1)},"data":[${data.join(',')}]}\n`;
}

async function headOf(ctx: NormanContext, type: NormanType, { query, page }: Listed): Promise<JsonObject> {
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
  };
}

function paginationOf(ctx: NormanContext, url: string, { limit }: ListQuery, page: Page): JsonObject {
  const whole = { limit, total: page.total };
  if (!page.isPartial) return whole;
  const at = (marker: string | undefined) => {
    const query = new URLSearchParams(ctx.query);
    query.delete('marker');
    if (marker !== undefined) query.set('marker', marker);
    return `${url}?${query.toString()}`;
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
