import { Namespace } from '../../../api/builtin-kinds.ts';
import { parseRequirements, requirementMatches, SelectorSyntaxError } from '../../../api/label-query.ts';
import { badRequest, StatusError } from '../../../api/status.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import type { CallerRights } from '../v3/caller-rights.ts';
import type { SteveApi } from './steve-api.ts';
import { fetchRows, fetchTable, type Row, type Table, type TableRequest } from './steve-table.ts';
import type { SteveType } from './steve-type.ts';

const atATime = 8;
/** Whoever has single rights in more places is shown the first of them. */
const mostPlaces = 200;

/**
 * The objects of a type that the caller may see. Who may not list them all sees those of the namespaces that are named to him, and those he
 * may get by name; who may see none hears it from the server.
 */
export async function listVisible(api: SteveApi, type: SteveType, request: TableRequest): Promise<Table> {
  const { rights, client, signal } = api;
  const { namespace = '' } = request;
  const reach = await rights.reach('list', type, namespace);
  if (reach.isEverything) return fetchRows(client, type, request, signal);
  const isSpread = type.scope === 'Namespaced' && namespace === '';
  const places = isSpread ? await placesToList(api, type) : [];
  const names = isSpread ? [] : [...(await rights.reach('get', type, namespace)).names].slice(0, mostPlaces);
  if (places.length === 0 && names.length === 0) return fetchRows(client, type, request, signal);
  const isWanted = labelFilter(request.labelSelector);
  const fetches = [
    ...places.map(place => () => fetchRows(client, type, { ...request, namespace: place, continueToken: undefined }, signal)),
    ...names.map(
      name => async () => only(await fetchTable(client, type, { ...(namespace !== '' && { namespace }), name }, signal), isWanted),
    ),
  ];
  const found = (await mapBounded(fetches, atATime, unlessRefused)).filter(table => table !== undefined);
  return {
    rows: found.flatMap(table => table.rows),
    resourceVersion: found[0]?.resourceVersion ?? '',
    continueToken: undefined,
    total: found.reduce((sum, { total, rows }) => sum + (total ?? rows.length), 0),
  };
}

/** What is asked for by name is not asked for by labels: they are looked at here. */
function labelFilter(selector: string | undefined): (row: Row) => boolean {
  try {
    const requirements = parseRequirements(selector ?? '');
    return ({ object }) => requirements.every(one => requirementMatches(one, object.metadata.labels));
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    throw badRequest(`labelSelector: ${error.message}`);
  }
}

function only(table: Table, isWanted: (row: Row) => boolean): Table {
  const rows = table.rows.filter(isWanted);
  return { ...table, rows, total: rows.length };
}

async function placesToList({ rights }: SteveApi, type: SteveType): Promise<string[]> {
  const places = await knownPlaces(rights);
  const reaches = await mapBounded(places, atATime, place => rights.reach('list', type, place));
  return places.filter((_, i) => reaches[i]!.isEverything);
}

/** The namespaces that the caller's rights name: those of his projects on a member, and on the hub those of his clusters. */
export async function knownPlaces(rights: CallerRights): Promise<string[]> {
  const reaches = await Promise.all([Namespace, ManagementCluster].map(kind => rights.reach('get', kind, '')));
  return [...new Set(reaches.flatMap(({ names }) => [...names]))].slice(0, mostPlaces);
}

/** What has gone meanwhile, or may not be seen any more, is left out. */
async function unlessRefused(fetch: () => Promise<Table>): Promise<Table | undefined> {
  try {
    return await fetch();
  } catch (error) {
    if (error instanceof StatusError && (error.code === 403 || error.code === 404)) return undefined;
    throw error;
  }
}
