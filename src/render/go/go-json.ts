import { formatFloat } from '../../util/go-float.ts';
import { sortedKeys } from './go-format.ts';
import { byteSlice } from './go-type.ts';
import { GoError, GoFunction, GoInt, GoObject, isMap, isSlice, typeOf, type GoValue } from './go-value.ts';
import type { Json } from '../../util/json.ts';

interface JsonOptions {
  /** Default true: `<`, `>` and `&` are escaped. */
  readonly escapesHtml?: boolean;
  /** Spaces per level; none: one line. */
  readonly indent?: number;
}

/** encoding/json's Marshal: keys sorted, numbers and escapes as Go writes them. Throws GoError for what JSON cannot say. */
export function encodeJson(value: GoValue, { escapesHtml = true, indent = 0 }: JsonOptions = {}): string {
  return write(value, '');

  function write(item: GoValue, margin: string): string {
    if (item === undefined || item === null) return 'null';
    if (typeof item === 'string') return quote(item, escapesHtml);
    if (typeof item === 'boolean') return String(item);
    if (typeof item === 'number') return number(item);
    if (item instanceof GoInt) return item.value.toString();
    if (item instanceof GoObject) {
      const plain = item.toJson();
      return plain === undefined ? quote(item.print(), escapesHtml) : write(plain, margin);
    }
    if (item instanceof GoFunction) throw new GoError(`json: unsupported type: ${typeOf(item).name}`);
    if (isSlice(item)) {
      if (item.goType === byteSlice) return quote(Buffer.from(item.map(byte => Number((byte as GoInt).value))).toString('base64'), false);
      return group('[', ']', item, margin, write);
    }
    return isMap(item) && item.isNil ? 'null' : group('{', '}', item.isOrdered ? [...item.keys()] : sortedKeys(item), margin, entry(item));
  }

  function entry(map: ReadonlyMap<string, GoValue>) {
    return (key: string, margin: string): string => `${quote(key, escapesHtml)}:${indent > 0 ? ' ' : ''}${write(map.get(key), margin)}`;
  }

  function group<T>(open: string, close: string, items: readonly T[], margin: string, print: (item: T, margin: string) => string): string {
    if (items.length === 0) return open + close;
    if (indent === 0) return open + items.map(item => print(item, '')).join(',') + close;
    const inner = margin + ' '.repeat(indent);
    return `${open}\n${items.map(item => inner + print(item, inner)).join(',\n')}\n${margin}${close}`;
  }
}

function number(value: number): string {
  if (!Number.isFinite(value)) throw new GoError(`json: unsupported value: ${formatFloat(value, 'g', -1)}`);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-6 || size >= 1e21)) return formatFloat(value, 'e', -1).replace(/e-0(\d)$/, 'e-$1');
  return formatFloat(value, 'f', -1);
}

const shorts: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function quote(text: string, escapesHtml: boolean): string {
  const pattern = escapesHtml
    ? /["\\\u0000-\u001f<>&\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
    : /["\\\u0000-\u001f\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const escaped = text.replace(pattern, char => {
    const code = char.charCodeAt(0);
    if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
    return shorts[char] ?? `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/** The value as plain JSON, for writers that know nothing of Go. Whole floats come out as integers, as they do when Go reads its own JSON as YAML. */
export function toJson(value: GoValue): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.includes('\u0085') ? foldNextLines(value) : value;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new GoError(`json: unsupported value: ${formatFloat(value, 'g', -1)}`);
    return value;
  }
  if (value instanceof GoInt) return value.value >= -(2n ** 53n) && value.value <= 2n ** 53n ? Number(value.value) : value.value;
  if (value instanceof GoFunction) throw new GoError(`json: unsupported type: ${typeOf(value).name}`);
  if (value instanceof GoObject) {
    const plain = value.toJson();
    return plain === undefined ? value.print() : toJson(plain);
  }
  if (isSlice(value)) {
    if (value.goType === byteSlice) return Buffer.from(value.map(byte => Number((byte as GoInt).value))).toString('base64');
    return value.map(toJson);
  }
  if (value.isNil) return null;
  return Object.fromEntries([...value].map(([key, item]) => [key, toJson(item)]));
}

/** A reader of YAML takes U+0085 in a JSON text for the end of a line, and puts lines together. */
function foldNextLines(text: string): string {
  return text.replace(/ *\u0085(?: *\u0085)* */g, lines => '\n'.repeat(lines.split('\u0085').length - 2) || ' ');
}
