import type { JsonObject } from '../../../util/json.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { CallerRights } from '../v3/caller-rights.ts';
import type { SteveApi } from './steve-api.ts';
import { collectionOf } from './steve-resource.ts';
import type { SteveType } from './steve-type.ts';
import { knownPlaces } from './steve-visible.ts';

/** Rights in more namespaces than this say nothing new about which types somebody can use. */
const mostPlaces = 16;
const atATime = 8;

const verbMethods = { get: 'GET', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

/** The schemas of all types that the caller can do something with. */
export async function steveSchemas(api: SteveApi): Promise<JsonObject[]> {
  const places = ['', ...(await knownPlaces(api.rights)).slice(0, mostPlaces)];
  const found = await mapBounded(api.types.all, atATime, type => schemaOf(api, type, places));
  return [...found.filter(schema => schema !== undefined), ...ownSchemas(api)];
}

async function schemaOf(api: SteveApi, type: SteveType, places: readonly string[]): Promise<JsonObject | undefined> {
  const can = async (verb: string, needsAll: boolean) =>
    type.verbs.includes(verb) && (await reaches(api.rights, verb, type, places, needsAll));
  const isListed = (await can('list', false)) || (await can('get', false));
  const isCreated = await can('create', true);
  if (!isListed && !isCreated) return undefined;
  const resourceMethods: string[] = [];
  for (const [verb, method] of Object.entries(verbMethods)) if (await can(verb, false)) resourceMethods.push(method);
  const { group, version, kind, resource, scope, verbs } = type;
  return schema(api, type.id, {
    pluralName: type.plural,
    links: { self: `${api.root}/schemas/${type.id}`, collection: collectionOf(api, type) },
    collectionMethods: [...(isListed ? ['GET'] : []), ...(isCreated ? ['POST'] : [])],
    resourceMethods,
    attributes: { group, version, kind, resource, namespaced: scope === 'Namespaced', verbs: [...verbs] },
  });
}

/** Whether rights reach anything, in one of the places. Rules for single names say nothing about creating. */
async function reaches(rights: CallerRights, verb: string, type: SteveType, places: readonly string[], needsAll: boolean) {
  for (const place of type.scope === 'Namespaced' ? places : ['']) {
    const reach = await rights.reach(verb, type, place);
    if (reach.isEverything || (!needsAll && reach.names.size > 0)) return true;
  }
  return false;
}

/** Machines are Cluster API's. A hub without it has none, which is no reason for `rancher machines` to fail. */
export const machineType = 'cluster.x-k8s.io.machine';

function ownSchemas(api: SteveApi): JsonObject[] {
  const readable = { collectionMethods: ['GET'], resourceMethods: ['GET'] };
  const of = (id: string, plural: string) => ({
    pluralName: plural,
    links: { self: `${api.root}/schemas/${id}`, collection: `${api.root}/${plural}` },
    ...readable,
  });
  return [
    schema(api, 'schema', of('schema', 'schemas')),
    schema(api, 'count', of('count', 'counts')),
    schema(api, 'subscribe', { ...of('subscribe', 'subscribe'), resourceMethods: [] }),
    ...(api.types.find(machineType) ? [] : [schema(api, machineType, of(machineType, `${machineType}s`))]),
  ];
}

function schema({ root }: SteveApi, id: string, more: JsonObject): JsonObject {
  return {
    id,
    type: 'schema',
    links: { self: `${root}/schemas/${id}` },
    actions: {},
    version: { version: 'v1' },
    resourceFields: {},
    resourceActions: {},
    collectionActions: {},
    collectionFilters: {},
    ...more,
  };
}
