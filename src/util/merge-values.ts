import { getMember, isJsonObject, setMember, type JsonObject } from './json.ts';

/** Values with others over them: maps are merged, everything else is replaced. */
export function mergeValues(under: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = getMember(merged, key);
    setMember(merged, key, isJsonObject(before) && isJsonObject(value) ? mergeValues(before, value) : value);
  }
  return merged;
}
