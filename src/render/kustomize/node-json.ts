import { formatFloat } from '../../util/go-float.ts';
import { goQuote } from '../../util/go-quote.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { refold } from './folded-text.ts';
import { KustomizeError } from './kustomize-error.ts';
import { resolvePlain } from './resolve-scalar.ts';
import { makeNode, tags, type NodeStyle, type YamlNode } from './yaml-node.ts';

/** What a node means as JSON, as kustomize finds out: it writes YAML and reads that back. */
export function nodeToJson(node: YamlNode | undefined): Json {
  return node === undefined ? null : toJson(node, { isFlow: false, isTop: true });
}

interface Place {
  /** Inside `{…}` or `[…]`, where nothing is written as ''. */
  readonly isFlow: boolean;
  readonly isTop: boolean;
}

function toJson(node: YamlNode, place: Place): Json {
  const inside = { isFlow: place.isFlow || node.style === 'flow', isTop: false };
  switch (node.kind) {
    case 'scalar':
      return scalarToJson(node, place.isFlow);
    case 'sequence':
      return node.content.map(item => toJson(item, inside));
    case 'mapping':
      return mappingToJson(node, inside, place.isTop);
    case 'alias':
      return toJson(node.alias!, place);
    case 'none':
      return null;
  }
}

function mappingToJson(node: YamlNode, inside: Place, isTop: boolean): JsonObject {
  const object: JsonObject = {};
  const lines = new Map<string, number>();
  for (let i = 0; i + 1 < node.content.length; i += 2) {
    const key = node.content[i]!;
    if (key.kind !== 'scalar') throw new KustomizeError('json: unsupported type: map[interface {}]interface {}');
    const first = lines.get(key.value);
    if (first !== undefined) {
      throw new KustomizeError(
        `yaml: unmarshal errors:\n  line ${key.line}: mapping key ${goQuote(key.value)} already defined at line ${first}`,
      );
    }
    lines.set(key.value, key.line);
    if (!isTop && typeof scalarToJson(key, true) !== 'string') {
      throw new KustomizeError('json: unsupported type: map[interface {}]interface {}');
    }
    setKey(object, key.value, toJson(node.content[i + 1]!, inside));
  }
  return object;
}

function setKey(object: JsonObject, key: string, value: Json): void {
  // Assigning this one would set the prototype instead.
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

// Inside `{…}` and `[…]` these get quotes.
const needsQuotesInFlow = /^$|[,?[\]{}:]/;

function scalarToJson(node: YamlNode, isFlow: boolean): Json {
  const { tag, value, style, isTagged } = node;
  if (tag === tags.str || tag === '') {
    if (style === 'folded' && !isFlow) return refold(value);
    if (tag === tags.str) return value;
  }
  const isText = style !== '' || value.includes('\n') || (isFlow && needsQuotesInFlow.test(value));
  if (tag !== '' && (isTagged || resolvePlain(value).tag !== tag)) return taggedToJson(tag, value);
  return isText ? value : plainToJson(value);
}

function plainToJson(text: string): Json {
  const { value } = resolvePlain(text);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new KustomizeError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  }
  // Go writes such a float as an integer, and reads it back as one.
  if (typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value) && Math.abs(value) < 1e21) {
    return BigInt(formatFloat(value, 'f', -1));
  }
  return value;
}

function taggedToJson(tag: string, text: string): Json {
  if (tag === tags.binary) {
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)) throw new KustomizeError('yaml: !!binary value contains invalid base64 data');
    return Buffer.from(text, 'base64').toString('utf8');
  }
  const resolved = resolvePlain(text);
  if (resolved.tag === tag || (tag === tags.float && resolved.tag === tags.int)) return plainToJson(text);
  if (([tags.bool, tags.int, tags.float, tags.null, tags.timestamp] as string[]).includes(tag)) {
    throw new KustomizeError(`yaml: cannot decode ${resolved.tag} \`${text}\` as a ${tag}`);
  }
  return text;
}

/** JSON as a node, as when Go reads JSON, writes YAML and reads that: every number has become a float of 64 bits. */
export function jsonToNode(value: Json): YamlNode {
  if (Array.isArray(value)) {
    return makeNode('sequence', { tag: tags.seq, style: value.length === 0 ? 'flow' : '', content: value.map(jsonToNode) });
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value);
    const content = keys.sort().flatMap(key => [stringToNode(key), jsonToNode(value[key] as Json)]);
    return makeNode('mapping', { tag: tags.map, style: keys.length === 0 ? 'flow' : '', content });
  }
  if (value === null) return makeNode('scalar', { tag: tags.null, value: 'null' });
  if (typeof value === 'boolean') return makeNode('scalar', { tag: tags.bool, value: String(value) });
  if (typeof value === 'string') return stringToNode(value);
  const text = formatFloat(Number(value), 'g', -1);
  return makeNode('scalar', { tag: resolvePlain(text).tag, value: text });
}

const olderBoolean = /^(?:y|yes|on|n|no|off)$/i;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const cannotBePlain = /^[\s#,[\]{}&*!|>'"%@`]|^[?:-](?:\s|$)|^(?:---|\.\.\.)|\s$|: |:$| #|[\t\x00-\x1f\x7f]/;

/** Text with the quotes that Go's yaml.v3 gives it. */
export function stringToNode(value: string): YamlNode {
  return makeNode('scalar', { tag: tags.str, value, style: styleOf(value) });
}

function styleOf(value: string): NodeStyle {
  if (value.includes('\n')) return 'literal';
  if (resolvePlain(value).tag !== tags.str || olderBoolean.test(value) || base60.test(value)) return 'double';
  return cannotBePlain.test(value) ? 'single' : '';
}
