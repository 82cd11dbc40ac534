import { isJsonObject, jsonEqual, type Json } from '../../util/json.ts';
import { itemsOf, propertyOf, type SchemaProps } from './schema-props.ts';

/** The item of the old list with the same keys: only lists of type map know which item became which. */
export function findOldItem(schema: SchemaProps, item: Json, old: Json): Json | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old) || !isJsonObject(item)) return undefined;
  const items = itemsOf(schema);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const wanted = keys.map(key => item[key] ?? propertyOf(items, key)?.default);
  return old.find(
    candidate => isJsonObject(candidate) && keys.every((key, i) => jsonEqual(candidate[key] ?? propertyOf(items, key)?.default, wanted[i])),
  );
}
