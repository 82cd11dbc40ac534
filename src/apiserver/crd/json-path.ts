import { isJsonObject, type Json } from '../../util/json.ts';

/** The value at a path of plain names, such as `.spec.replicas`. */
export function valueAt(obj: unknown, path: readonly string[]): Json | undefined {
  let value = obj as Json | undefined;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Sets a value, making the objects on the way to it. Returns false when something on the way is not an object. */
export function setValueAt(obj: unknown, path: readonly string[], value: Json): boolean {
  let place = obj as Json;
  for (const name of path.slice(0, -1)) {
    if (!isJsonObject(place)) return false;
    if (!Object.hasOwn(place, name) || place[name] === null) place[name] = {};
    place = place[name]!;
  }
  if (!isJsonObject(place)) return false;
  place[path.at(-1)!] = value;
  return true;
}

/** `.spec.replicas` as names. */
export const namesOf = (path: string): string[] => path.replace(/^\./, '').split('.');
