import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../util/json.ts';
import { NormanError } from '../v3/norman-error.ts';
import type { NormanAnswer } from '../v3/norman-type.ts';
import type { SteveApi } from './steve-api.ts';
import { steveCounts } from './steve-counts.ts';
import { methodNotAllowed, notFound } from './steve-error.ts';
import { steveCollection } from './steve-list.ts';
import { parseSteveQuery } from './steve-query.ts';
import { machineType, steveSchemas } from './steve-schemas.ts';
import { fetchTable } from './steve-table.ts';
import type { SteveTarget } from './steve-target.ts';
import type { SteveType } from './steve-type.ts';
import { steveResource } from './steve-resource.ts';
import { changeSteve, createSteve, removeSteve } from './steve-write.ts';

/** Where an object is, or a list. */
export interface Place {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Answers what is asked of `/v1`. */
export async function serveSteve(api: SteveApi, req: IncomingMessage, { segments, query }: SteveTarget): Promise<NormanAnswer> {
  const [name, ...rest] = segments;
  const { method = '' } = req;
  if (method === 'POST' && (query.get('action') ?? '') !== '')
    throw new NormanError(422, 'InvalidAction', `Invalid action: ${query.get('action')}`);
  const own = await serveOwn(api, name, rest);
  if (own) {
    if (method !== 'GET') throw methodNotAllowed(method);
    return { status: 200, body: own };
  }
  const type = api.types.find(name!);
  if (!type) throw notFound(`schema ${JSON.stringify(name)}`);
  const place = placeOf(type, rest);
  if (place.name === undefined) return serveList(api, type, { req, query, namespace: place.namespace });
  return serveObject(api, type, { req, query, namespace: place.namespace, name: place.name });
}

/** What `/v1` itself has: its root, its schemas, its counts. */
async function serveOwn(api: SteveApi, name: string | undefined, [id]: readonly string[]): Promise<JsonObject | undefined> {
  switch (name) {
    case undefined:
      return rootOf(api);
    case 'schemas':
      return id === undefined ? listOf(api, 'schema', 'schemas', await steveSchemas(api)) : oneOf(await steveSchemas(api), id);
    case 'counts': {
      const counts = await steveCounts(api);
      return id === undefined ? listOf(api, 'count', 'counts', [counts]) : oneOf([counts], id);
    }
    case `${machineType}s`:
    case machineType:
      return api.types.find(machineType) ? undefined : listOf(api, machineType, `${machineType}s`, []);
    default:
      return undefined;
  }
}

function rootOf({ root }: SteveApi): JsonObject {
  const links = { self: root, root, schemas: `${root}/schemas`, counts: `${root}/counts`, subscribe: `${root}/subscribe` };
  return { id: 'v1', type: 'apiRoot', apiVersion: { version: 'v1' }, links, actions: {} };
}

function listOf({ root }: SteveApi, resourceType: string, plural: string, data: JsonObject[]): JsonObject {
  return { type: 'collection', links: { self: `${root}/${plural}` }, createTypes: {}, actions: {}, resourceType, count: data.length, data };
}

function oneOf(items: readonly JsonObject[], id: string): JsonObject {
  const found = items.find(item => item['id'] === id);
  if (!found) throw notFound(JSON.stringify(id));
  return found;
}

/** For kinds in namespaces a single part of the path is a namespace. */
function placeOf({ scope }: SteveType, parts: readonly string[]): Place {
  if (parts.length > (scope === 'Namespaced' ? 2 : 1)) throw notFound(JSON.stringify(parts.join('/')));
  if (scope === 'Namespaced') return { namespace: parts[0], name: parts[1] };
  return { namespace: undefined, name: parts[0] };
}

interface Asked {
  readonly req: IncomingMessage;
  readonly query: URLSearchParams;
  readonly namespace: string | undefined;
}

async function serveList(api: SteveApi, type: SteveType, { req, query, namespace }: Asked): Promise<NormanAnswer> {
  if (req.method === 'POST') return createSteve(api, type, req, namespace);
  if (req.method !== 'GET') throw methodNotAllowed(req.method ?? '');
  const self = `${api.root}/${type.plural}${namespace === undefined ? '' : `/${encodeURIComponent(namespace)}`}${searchOf(query)}`;
  return { status: 200, body: await steveCollection(api, type, { namespace, query: parseSteveQuery(query), self }) };
}

async function serveObject(
  api: SteveApi,
  type: SteveType,
  { req, namespace, name }: Asked & { readonly name: string },
): Promise<NormanAnswer> {
  const key = { ...(namespace !== undefined && { namespace }), name };
  switch (req.method) {
    case 'GET': {
      const [row] = (await fetchTable(api.client, type, key, api.signal)).rows;
      if (!row) throw notFound(JSON.stringify(name));
      return { status: 200, body: await steveResource(api, type, row) };
    }
    case 'PUT':
    case 'PATCH':
      return changeSteve(api, type, req, key);
    case 'DELETE':
      return removeSteve(api, type, key);
    default:
      throw methodNotAllowed(req.method ?? '');
  }
}

const searchOf = (query: URLSearchParams) => (query.size === 0 ? '' : `?${query.toString()}`);
