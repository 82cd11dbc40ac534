import type { KubeObject } from '../../../api/object.ts';
import { apiPath } from '../../../client/api-path.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import { objectState } from './object-state.ts';
import type { SteveApi } from './steve-api.ts';
import type { Row } from './steve-table.ts';
import type { SteveType } from './steve-type.ts';

/** An object as `/v1` shows it: as Kubernetes has it, with where it is and what may be done to it. */
export async function steveResource(api: SteveApi, type: SteveType, { object, cells }: Row): Promise<JsonObject> {
  const { name = '', namespace = '' } = object.metadata;
  const may = async (verb: string) => {
    if ((await api.rights.reach(verb, type, '')).covers(name)) return true;
    return namespace !== '' && (await api.rights.reach(verb, type, namespace)).covers(name);
  };
  const self = selfOf(api, type, object);
  const [update, patch, remove] = await Promise.all(['update', 'patch', 'delete'].map(may));
  return {
    id: idOf(object),
    type: type.id,
    links: {
      self,
      view: api.kubernetes + apiPath(type, { ...(namespace !== '' && { namespace }), name }),
      ...(update && { update: self }),
      ...(patch && { patch: self }),
      ...(remove && { remove: self }),
    },
    actions: update && api.actions ? await api.actions(type, object, self) : {},
    ...shown(object, cells),
  };
}

/** What a client is told of an object that has gone. */
export function steveRemains(api: SteveApi, type: SteveType, object: KubeObject): JsonObject {
  return { id: idOf(object), type: type.id, links: { self: selfOf(api, type, object) }, actions: {}, ...shown(object, []) };
}

/** `namespace/name`, or the name of what is in no namespace. */
export function idOf({ metadata: { name = '', namespace = '' } }: KubeObject): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

export function collectionOf({ root }: SteveApi, { plural }: SteveType): string {
  return `${root}/${plural}`;
}

function selfOf(api: SteveApi, type: SteveType, object: KubeObject): string {
  return `${collectionOf(api, type)}/${idOf(object).split('/').map(encodeURIComponent).join('/')}`;
}

/** What `/v1` says about every object. Fields of an object with these names are shown with an underscore before them. */
const reserved = ['id', 'type', 'links', 'actions'] as const;

function shown(object: KubeObject, cells: readonly Json[]): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const more = { fields: [...cells], state: { ...objectState(object) }, relationships: [] };
  const fields: JsonObject = { ...(object as unknown as JsonObject), metadata: { ...(metadata as unknown as JsonObject), ...more } };
  for (const name of reserved) rename(fields, name, `_${name}`);
  return fields;
}

/** The object that a client sends, without what only `/v1` adds. */
export function objectOf(body: JsonObject): JsonObject {
  const object = { ...body };
  for (const name of reserved) {
    delete object[name];
    rename(object, `_${name}`, name);
  }
  const { metadata } = object;
  if (!isJsonObject(metadata)) return object;
  const { fields: _fields, state: _state, relationships: _relationships, ...own } = metadata;
  return { ...object, metadata: own };
}

function rename(fields: JsonObject, from: string, to: string): void {
  if (!Object.hasOwn(fields, from)) return;
  fields[to] = fields[from]!;
  delete fields[from];
}
