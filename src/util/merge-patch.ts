import { getMember, isJsonObject, setMember, type Json, type JsonObject } from './json.ts';

/** An RFC 7386 merge patch: null deletes, objects merge, everything else replaces. Both stay as they are. */
export function mergePatch(doc: Json, patch: JsonObject): JsonObject {
  return isJsonObject(doc) ? merge(doc, patch) : (dropNulls(patch) as JsonObject);
}

function merge(doc: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...doc };
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    const current = getMember(merged, key);
    if (value === null) delete merged[key];
    else if (!isJsonObject(current)) setMember(merged, key, dropNulls(value));
    else setMember(merged, key, isJsonObject(value) ? merge(current, value) : value);
  }
  return merged;
}

// Where nothing is merged the nulls of a patch mean nothing, also inside lists; only a list's own null items stay.
function dropNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setMember(kept, key, dropNulls(value[key] as Json));
  return kept;
}
