import { badRequest } from '../../api/status.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { copyObject, getKey, setKey } from './own-key.ts';

/** Applies an RFC 7386 merge patch: null deletes, objects merge, everything else replaces. `doc` and `patch` stay as they are. */
export function applyMergePatch(doc: Json, patch: Json): Json {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isJsonObject(patch))
    throw badRequest(`error decoding patch: json: cannot unmarshal ${kindOf(patch)} into Go value of type map[string]interface {}`);
  return isJsonObject(doc) ? merge(doc, patch) : dropNulls(patch);
}

function kindOf(patch: Json): string {
  if (Array.isArray(patch)) return 'array';
  return typeof patch === 'boolean' ? 'bool' : typeof patch === 'bigint' ? 'number' : typeof patch;
}

function merge(doc: JsonObject, patch: JsonObject): JsonObject {
  const merged = copyObject(doc);
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    const current = getKey(merged, key);
    if (value === null) delete merged[key];
    else if (!isJsonObject(current)) setKey(merged, key, dropNulls(value));
    else setKey(merged, key, isJsonObject(value) ? merge(current, value) : value);
  }
  return merged;
}

// Where nothing is merged the nulls of a patch mean nothing, also inside lists; only a list's own null items stay.
function dropNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setKey(kept, key, dropNulls(value[key] as Json));
  return kept;
}
