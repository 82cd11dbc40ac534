import { errorText } from '../../util/error-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';

/** A YAML document that is a map, or nothing. */
export function readMap(text: string): JsonObject {
  let value: Json;
  try {
    ({ value } = readYaml(text));
  } catch (cause) {
    throw new Error(`the values are no YAML: ${errorText(cause)}`, { cause });
  }
  if (value === null) return {};
  if (!isJsonObject(value)) throw new Error('the values must be a map');
  return value;
}
