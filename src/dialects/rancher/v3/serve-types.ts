import { wantsYaml } from './answer-norman.ts';
import { checkFields } from './check-fields.ts';
import { pageOf, parseListQuery } from './list-query.ts';
import type { NormanContext } from './norman-context.ts';
import { invalidAction, methodNotSupported, noSuchType, notFound } from './norman-error.ts';
import type { NormanAction, NormanAnswer, NormanType, TypeTable, TypeStore } from './norman-type.ts';
import { actionOf } from './norman-target.ts';
import { printCollection, printCollectionText } from './print-collection.ts';
import { printResource } from './print-resource.ts';
import { printRoot } from './print-root.ts';
import { printSchema, printSchemas } from './print-schema.ts';

/** Answers what is asked of the types of one root: `segments` is the rest of the path behind it. */
export async function serveTypes(ctx: NormanContext, table: TypeTable, segments: readonly string[]): Promise<NormanAnswer> {
  const [name, id, sub, ...more] = segments;
  if (name === undefined) return reading(ctx, () => printRoot(ctx, table));
  if (name.toLowerCase() === 'schemas' || name.toLowerCase() === 'schema') return serveSchemas(ctx, table, segments.slice(1));
  const type = table.find(name);
  if (!type?.store || more.length > 0) throw noSuchType(name);
  if (id === undefined) return serveCollection(ctx, table, type);
  if (sub === undefined) return serveResource(ctx, table, type, id);
  return serveSubCollection(ctx, table, type, { id, sub });
}

const subType = (table: TypeTable, type: NormanType, sub: string) =>
  table.referringTo(type).find(one => one.type.plural.toLowerCase() === sub.toLowerCase());

async function serveSchemas(ctx: NormanContext, table: TypeTable, [id, ...more]: readonly string[]): Promise<NormanAnswer> {
  if (id === undefined) return reading(ctx, () => printSchemas(ctx, table));
  const type = table.find(id);
  if (!type || more.length > 0) throw notFound();
  return reading(ctx, () => printSchema(ctx, type));
}

function reading(ctx: NormanContext, print: () => NormanAnswer['body']): NormanAnswer {
  if (ctx.method !== 'GET') throw methodNotSupported(ctx.method);
  return { status: 200, body: print()! };
}

async function serveCollection(ctx: NormanContext, table: TypeTable, type: NormanType): Promise<NormanAnswer> {
  const action = actionOf(ctx.method, ctx.query);
  if (action !== undefined) return runAction(ctx, type.collectionActions, action, '');
  const store = type.store!;
  if (ctx.method === 'GET' && type.collectionMethods.includes('GET')) return list(ctx, table, type, store);
  if (ctx.method !== 'POST' || !type.collectionMethods.includes('POST') || !store.create) throw methodNotSupported(ctx.method);
  const made = await store.create(ctx, checkFields(await ctx.body(), type.fields, 'create'));
  return { status: 201, body: await printResource(ctx, table, type, made) };
}

async function list(ctx: NormanContext, table: TypeTable, type: NormanType, store: TypeStore): Promise<NormanAnswer> {
  const query = parseListQuery(ctx.query, type);
  const equals = (field: string) => query.filters.find(filter => filter.field === field && filter.modifier === 'eq')?.values[0];
  const page = pageOf(await store.list(ctx, { equals }), query, type.fields);
  if (wantsYaml(ctx.req)) return { status: 200, body: await printCollection(ctx, table, type, { query, page }) };
  return { status: 200, text: await printCollectionText(ctx, table, type, { query, page }) };
}

async function serveSubCollection(
  ctx: NormanContext,
  table: TypeTable,
  type: NormanType,
  { id, sub }: { id: string; sub: string },
): Promise<NormanAnswer> {
  const reference = subType(table, type, sub);
  if (!reference || !(await type.store!.get(ctx, id))) throw notFound();
  const query = new URLSearchParams(ctx.query);
  query.set(reference.field, id);
  return serveCollection({ ...ctx, query }, table, reference.type);
}

async function serveResource(ctx: NormanContext, table: TypeTable, type: NormanType, id: string): Promise<NormanAnswer> {
  const store = type.store!;
  const action = actionOf(ctx.method, ctx.query);
  if (action !== undefined && action !== 'remove') return runAction(ctx, type.resourceActions, action, id);
  const method = action === 'remove' ? 'DELETE' : ctx.method;
  if (method === 'POST' || !type.resourceMethods.includes(method)) throw methodNotSupported(method);
  if (method === 'DELETE') {
    const left = await store.remove!(ctx, id);
    return left ? { status: 200, body: await printResource(ctx, table, type, left) } : { status: 204 };
  }
  const entry = await store.get(ctx, id);
  if (!entry) throw notFound();
  const schemas = type.schemasOf?.(entry.id);
  const headers = schemas === undefined ? {} : { 'X-Api-Schemas': `${ctx.base}${schemas}` };
  if (method === 'GET') return { status: 200, body: await printResource(ctx, table, type, entry), headers };
  const fields = checkFields(await ctx.body(), type.fields, 'update');
  const updated = await store.update!(ctx, id, fields, { replaces: ctx.query.get('_replace') === 'true' });
  return { status: 200, body: await printResource(ctx, table, type, updated), headers };
}

function runAction(
  ctx: NormanContext,
  actions: Readonly<Record<string, NormanAction>> | undefined,
  name: string,
  id: string,
): Promise<NormanAnswer> {
  if (!actions || !Object.hasOwn(actions, name)) throw invalidAction(name);
  return actions[name]!.run(ctx, id);
}
