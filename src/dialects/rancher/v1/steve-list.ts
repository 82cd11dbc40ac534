import { Namespace } from '../../../api/builtin-kinds.ts';
import { isJsonObject, type JsonObject } from '../../../util/json.ts';
import { accessAnnotations, accessLabels } from '../access/access-names.ts';
import { mayCreate } from '../v3/caller-rights.ts';
import { withoutField } from './field-path.ts';
import type { SteveApi } from './steve-api.ts';
import { matchesFilters, sortObjects, type Places, type SteveQuery } from './steve-query.ts';
import { collectionOf, steveResource } from './steve-resource.ts';
import type { Row, Table } from './steve-table.ts';
import type { SteveType } from './steve-type.ts';
import { listVisible } from './steve-visible.ts';

/** A list as `/v1` answers it. `self` is what was asked for. */
export async function steveCollection(
  api: SteveApi,
  type: SteveType,
  { namespace, query, self }: { namespace: string | undefined; query: SteveQuery; self: string },
): Promise<JsonObject> {
  const isWorkedOn = query.filters.length > 0 || query.sort.length > 0 || query.pageSize > 0 || query.places !== undefined;
  const { labelSelector, fieldSelector, limit, continueToken } = query;
  const table = await listVisible(api, type, {
    namespace,
    labelSelector,
    fieldSelector,
    // What is filtered and sorted here must be here whole.
    ...(!isWorkedOn && { limit, continueToken }),
  });
  const chosen = isWorkedOn ? await choose(api, table, query) : table.rows;
  const page = query.pageSize === 0 ? chosen : chosen.slice((query.page - 1) * query.pageSize, query.page * query.pageSize);
  const data = await Promise.all(page.map(row => steveResource(api, type, row)));
  const next = table.continueToken;
  return {
    type: 'collection',
    links: { self },
    createTypes: (await mayCreate(api.rights, type, namespace ?? '')) ? { [type.id]: collectionOf(api, type) } : {},
    actions: {},
    resourceType: type.id,
    revision: table.resourceVersion,
    count: isWorkedOn ? chosen.length : (table.total ?? chosen.length),
    ...(query.pageSize > 0 && { pages: Math.ceil(chosen.length / query.pageSize) }),
    ...(next !== undefined && { continue: next, pagination: { limit, first: self, next: withContinue(self, next), partial: true } }),
    data: data.map(one => query.exclude.reduce(withoutField, one)),
  };
}

async function choose(api: SteveApi, { rows }: Table, query: SteveQuery): Promise<readonly Row[]> {
  const isInPlace = query.places ? await placeFilter(api, query.places) : () => true;
  const candidates = rows.map(row => ({ row, fields: searchable(row) }));
  const kept = candidates.filter(({ row, fields }) => isInPlace(row.object.metadata.namespace ?? '') && matchesFilters(fields, query));
  const rowOf = new Map(kept.map(({ row, fields }) => [fields, row]));
  return sortObjects([...rowOf.keys()], query.sort).map(fields => rowOf.get(fields)!);
}

/** Filters see columns too. */
function searchable({ object, cells }: Row): JsonObject {
  const fields = object as unknown as JsonObject;
  const metadata = isJsonObject(fields['metadata']) ? fields['metadata'] : {};
  return { ...fields, metadata: { ...metadata, fields: [...cells] } };
}

async function placeFilter(api: SteveApi, { names, isNegated }: Places): Promise<(namespace: string) => boolean> {
  const wanted = new Set(names);
  const type = api.types.find(Namespace.resource);
  const table = type && (await listVisible(api, type, {}));
  for (const { object } of table?.rows ?? []) {
    const { labels, annotations, name = '' } = object.metadata;
    // Where nothing on the member makes the label follow, only the annotation is sure to be there.
    const project = annotations?.[accessAnnotations.project]?.replace(/^.*:/, '') ?? labels?.[accessLabels.project];
    if (project !== undefined && wanted.has(project)) wanted.add(name);
  }
  return namespace => wanted.has(namespace) !== isNegated;
}

function withContinue(self: string, token: string): string {
  const url = new URL(self);
  url.searchParams.set('continue', token);
  return url.href;
}
