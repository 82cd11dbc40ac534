import type { JsonObject } from '../../../util/json.ts';
import type { NormanContext } from './norman-context.ts';
import type { Entry, NormanType, TypeTable } from './norman-type.ts';

/** The address of the collection of a type. */
export const collectionUrl = ({ root }: Pick<NormanContext, 'root'>, { plural }: Pick<NormanType, 'plural'>) =>
  `${root}/${plural.toLowerCase()}`;

/** One id as a part of a path. The colon of ids in namespaces stays readable. */
export const pathPart = (id: string) => encodeURIComponent(id).replaceAll('%3A', ':');

/** What clients see of a resource: its fields, and where they can go from it. */
export async function printResource(ctx: NormanContext, table: TypeTable, type: NormanType, entry: Entry): Promise<JsonObject> {
  const self = `${collectionUrl(ctx, type)}/${pathPart(entry.id)}`;
  const grants = await entry.grants();
  const links: Record<string, string> = { self };
  if (grants.mayUpdate && type.resourceMethods.includes('PUT')) links['update'] = self;
  if (grants.mayRemove && type.resourceMethods.includes('DELETE')) links['remove'] = self;
  for (const { type: other } of table.referringTo(type)) links[other.plural] = `${self}/${other.plural.toLowerCase()}`;
  Object.assign(links, entry.links);
  const actions = Object.fromEntries(grants.actions.map(name => [name, `${self}?action=${name}`]));
  return { ...entry.fields(), id: entry.id, type: entry.type ?? type.id, baseType: type.id, links, [actionsName(ctx)]: actions };
}

/** Whoever has a field called "actions" of his own asks for another name. */
export function actionsName({ req }: Pick<NormanContext, 'req'>): 'actions' | 'actionLinks' {
  return (req.headers['x-api-action-links'] ?? '') === '' ? 'actions' : 'actionLinks';
}
