import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import type { RemoteGroupVersion } from './aggregator.ts';

const prefix = '#/definitions/';

/** A Swagger document with the paths that other servers serve, and what they refer to. A name that is ours keeps our meaning. */
export function mergeSwagger(document: JsonObject, remote: readonly RemoteGroupVersion[]): JsonObject {
  const paths = { ...(document.paths as JsonObject) };
  const definitions = { ...(document.definitions as JsonObject) };
  for (const { group, version, openApiV2 } of remote) {
    if (!isJsonObject(openApiV2?.paths)) continue;
    const theirs = isJsonObject(openApiV2.definitions) ? openApiV2.definitions : {};
    const root = `/apis/${group}/${version}`;
    for (const [path, item] of Object.entries(openApiV2.paths)) {
      if (path !== root && !path.startsWith(`${root}/`)) continue;
      paths[path] = item;
      adopt(item, theirs, definitions);
    }
  }
  return { ...document, paths, definitions };
}

function adopt(value: Json, theirs: JsonObject, definitions: JsonObject): void {
  if (Array.isArray(value)) for (const item of value) adopt(item, theirs, definitions);
  else if (isJsonObject(value)) {
    const { $ref: ref } = value;
    const name = typeof ref === 'string' && ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined;
    const schema = name === undefined ? undefined : theirs[name];
    if (name !== undefined && schema !== undefined && !Object.hasOwn(definitions, name)) {
      definitions[name] = schema;
      adopt(schema, theirs, definitions);
    }
    for (const key in value) adopt(value[key]!, theirs, definitions);
  }
}
