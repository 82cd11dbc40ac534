import { LRUCache } from 'lru-cache';
import { errorText } from '../../util/error-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { decodeText } from '../go/decode-text.ts';
import { quickHead, type Head } from './quick-head.ts';

export type { Head } from './quick-head.ts';

/** Heads of manifests that were read before: from one release to the next most are the same. Those that are quick to read are not worth the room. */
const heads = new LRUCache<string, Head>({ maxSize: 16 * 1024 * 1024, sizeCalculation: (_, text) => text.length + 1 });

/** What Helm reads of a manifest before it sorts. Throws with its words when the manifest is no YAML, or something else than an object. */
export function readHead(path: string, text: string): Head {
  const quick = quickHead(text);
  if (quick) return quick;
  const known = heads.get(text);
  if (known) return known;
  const head = slowHead(path, text);
  heads.set(text, head);
  return head;
}

export function slowHead(path: string, text: string): Head {
  let value: Json;
  try {
    ({ value } = readYaml(text));
  } catch (error) {
    throw new Error(`YAML parse error on ${path}: error converting YAML to JSON: ${errorText(error)}`);
  }
  const refuse = (found: Json, wanted: string): never => {
    throw new Error(
      `YAML parse error on ${path}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kindOf(found)} into Go ${wanted}`,
    );
  };
  if (value !== null && !isJsonObject(value)) return refuse(value, 'value of type util.SimpleHead');
  const textAt = (fields: JsonObject, name: string, field: string): string => {
    const found = memberOf(fields, name);
    return decodeText(found) ?? refuse(found as Json, `struct field ${field} of type string`);
  };
  const fields = value ?? {};
  textAt(fields, 'apiVersion', 'SimpleHead.apiVersion');
  const kind = textAt(fields, 'kind', 'SimpleHead.kind');
  const metadata = memberOf(fields, 'metadata') ?? {};
  if (!isJsonObject(metadata)) return refuse(metadata, `struct field SimpleHead.metadata of type ${metadataType}`);
  const annotations = memberOf(metadata, 'annotations') ?? {};
  if (!isJsonObject(annotations)) return refuse(annotations, 'struct field .metadata.annotations of type map[string]string');
  const texts = Object.entries(annotations).map(([key, item]): [string, string] => [
    key,
    decodeText(item) ?? refuse(item, 'struct field .metadata.annotations of type string'),
  ]);
  return { kind, name: textAt(metadata, 'name', '.metadata.name'), annotations: Object.fromEntries(texts) };
}

const metadataType = String.raw`struct { Name string "json:\"name\""; Annotations map[string]string "json:\"annotations\"" }`;

/** Go takes fields by their names in any case; of several the last in order. */
function memberOf(fields: JsonObject, name: string): Json | undefined {
  const wanted = name.toLowerCase();
  let found: Json | undefined;
  for (const key of Object.keys(fields).sort()) if (key === name || key.toLowerCase() === wanted) found = fields[key];
  return found;
}

const kindOf = (value: Json): string =>
  Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : isJsonObject(value)
        ? 'object'
        : typeof value === 'bigint'
          ? 'number'
          : typeof value;
