import { isJsonObject, type Json } from '../../../util/json.ts';

/** A JSON merge patch, enough for tests. */
export function mergePatch(target: unknown, patch: unknown): Json {
  if (!isJsonObject(patch)) return patch as Json;
  const result = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
