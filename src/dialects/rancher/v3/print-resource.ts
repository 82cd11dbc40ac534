import { printJson, type JsonObject } from '../../../util/json.ts';
import type { NormanContext } from './norman-context.ts';
import type { Entry, NormanType, TypeTable } from './norman-type.ts';

/** The address of the collection of a type. */
export const collectionUrl = ({ root }: Pick<NormanContext, 'root'>, { plural }: Pick<NormanType, 'plural'>) =>
  `${root}/${plural.toLowerCase()}`;

/** One id as a part of a path. The colon of ids in namespaces stays readable. */
export const pathPart = (id: string) => encodeURIComponent(id).replaceAll('%3A', ':');

/** What clients see of a resource: its fields, and where they can go from it. */
export async function printResource(ctx: NormanContext, table: TypeTable, type: NormanType, entry: Entry): Promise<JsonObject> {
  return { ...entry.fields(), ...(await resourcePrinter(ctx, table, type).frameOf(entry)) };
}

/** Prints many resources of one type for one request. */
export function resourcePrinter(ctx: NormanContext, table: TypeTable, type: NormanType) {
  const collection = collectionUrl(ctx, type);
  const actionsField = actionsName(ctx);
  const below = table.referringTo(type).map(({ type: { plural } }) => [plural, plural.toLowerCase()] as const);
  const [hasUpdate, hasRemove] = [type.resourceMethods.includes('PUT'), type.resourceMethods.includes('DELETE')];

  return { frameOf, textOf };

  /** What every resource has besides its fields. */
  async function frameOf(entry: Entry): Promise<JsonObject> {
    const self = `${collection}/${pathPart(entry.id)}`;
    const grants = await entry.grants();
    const links: Record<string, string> = { self };
    if (grants.mayUpdate && hasUpdate) links['update'] = self;
    if (grants.mayRemove && hasRemove) links['remove'] = self;
    for (const [plural, path] of below) links[plural] = `${self}/${path}`;
    Object.assign(links, entry.links);
    const actions: Record<string, string> = {};
    for (const name of grants.actions) actions[name] = `${self}?action=${name}`;
    return { id: entry.id, type: entry.type ?? type.id, baseType: type.id, links, [actionsField]: actions };
  }

  async function textOf(entry: Entry): Promise<string> {
    const frame = printJson(await frameOf(entry));
    const fields = fieldsText(entry.fields());
    return fields === '' ? frame : `{${fields},${frame.slice(1)}`;
  }
}

const framed = ['id', 'type', 'baseType', 'links', 'actions', 'actionLinks'];
const printed = new WeakMap<JsonObject, string>();

/** The fields as JSON without the braces. Fields that are shown again and again are the same object, and printed once. */
function fieldsText(fields: JsonObject): string {
  let text = printed.get(fields);
  if (text === undefined) {
    const own = Object.fromEntries(Object.entries(fields).filter(([name]) => !framed.includes(name)));
    text = printJson(own).slice(1, -1);
    printed.set(fields, text);
  }
  return text;
}

/** Whoever has a field called "actions" of his own asks for another name. */
export function actionsName({ req }: Pick<NormanContext, 'req'>): 'actions' | 'actionLinks' {
  return (req.headers['x-api-action-links'] ?? '') === '' ? 'actions' : 'actionLinks';
}
