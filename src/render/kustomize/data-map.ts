import { clearField, fieldOf, lookupOrCreate, setField } from './node-fields.ts';
import { compareText } from './res-id.ts';
import { makeNode, tags, valueOf, type YamlNode } from './yaml-node.ts';

/** A field of a ConfigMap or Secret that maps names to text. */
export function textMap(node: YamlNode, field: string): Map<string, string> {
  const map = new Map<string, string>();
  const holder = fieldOf(node, field);
  if (holder?.kind !== 'mapping') return map;
  for (let i = 0; i + 1 < holder.content.length; i += 2) map.set(valueOf(holder.content[i]), valueOf(holder.content[i + 1]));
  return map;
}

/** Writes such a field anew. */
export function setDataMap(node: YamlNode, field: 'data' | 'binaryData', map: ReadonlyMap<string, string>): void {
  clearField(node, field);
  for (const [key, value] of sorted(map)) setData(node, field, key, value);
}

/** Adds data of a ConfigMap: text where it is text, base64 elsewhere. */
export function loadConfigData(node: YamlNode, map: ReadonlyMap<string, Uint8Array>): void {
  for (const [key, bytes] of sorted(map)) {
    const text = decodeText(bytes);
    if (text === undefined) setData(node, 'binaryData', key, wrappedBase64(bytes));
    else setData(node, 'data', key, text);
  }
}

export function loadSecretData(node: YamlNode, map: ReadonlyMap<string, Uint8Array | string>): void {
  const holder = lookupOrCreate(node, 'mapping', ['data']);
  if (!holder) return;
  for (const [key, value] of sorted(map)) setField(holder, key, dataNode(wrappedBase64(value)));
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

function setData(node: YamlNode, field: 'data' | 'binaryData', key: string, value: string): void {
  const holder = lookupOrCreate(node, 'mapping', [field]);
  if (holder) setField(holder, key, dataNode(value));
}

const dataNode = (value: string): YamlNode => makeNode('scalar', { value, tag: tags.str, style: value.includes('\n') ? 'literal' : '' });

const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => compareText(a, b));

const lineLength = 70;

/** Base64 in lines, each with its break, once there is more than one. */
function wrappedBase64(value: Uint8Array | string): string {
  const text = Buffer.from(value as Uint8Array).toString('base64');
  if (text.length < lineLength) return text;
  return text.replaceAll(new RegExp(`.{1,${lineLength}}`, 'g'), '$&\n');
}
