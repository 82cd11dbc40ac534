import type { Json, JsonObject } from '../../util/json.ts';

// Bodies come from strangers: a key named __proto__ must stay an ordinary key.

export function getKey(obj: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(obj, key) ? obj[key] : undefined;
}

export function setKey(obj: JsonObject, key: string, value: Json): void {
  if (key !== '__proto__') obj[key] = value;
  else Object.defineProperty(obj, key, { value, writable: true, enumerable: true, configurable: true });
}

export function copyObject(obj: JsonObject): JsonObject {
  return { ...obj };
}
