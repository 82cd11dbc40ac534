import { goQuote } from '../../util/go-quote.ts';
import { escapeHtmlInJson, goPrint } from '../../util/go-print.ts';
import { isJsonObject, parseJson, printJson, type Json } from '../../util/json.ts';

/*
 * One step of a field path in the form FieldsV1 writes it: `f:name`, `k:{"name":"c"}`, `v:"x"`, `i:0`. The text is kept canonical
 * (sorted keys, Go's escapes), so that equal steps are equal strings.
 */

const maxRemembered = 20_000;
const fieldElements = new Map<string, string>();

/** Remembers the text, because making it anew for every field of every object is what ownership costs most. */
export function fieldElement(name: string): string {
  let element = fieldElements.get(name);
  if (element === undefined) {
    element = `f:${name}`;
    if (fieldElements.size >= maxRemembered) fieldElements.clear();
    fieldElements.set(name, element);
  }
  return element;
}

export function valueElement(value: Json): string {
  return `v:${printScalar(value)}`;
}

/** `names` must be sorted; absent values are left out. */
export function keyElement(names: readonly string[], values: readonly (Json | undefined)[]): string {
  let out = 'k:{';
  for (let i = 0; i < names.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    if (out.length > 3) out += ',';
    out += `"${names[i]}":${printScalar(value)}`;
  }
  return `${out}}`;
}

const plainText = /^[\w./: -]*$/;

function printScalar(value: Json): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return printJson(value);
  return plainText.test(value) ? `"${value}"` : escapeHtmlInJson(JSON.stringify(value));
}

const canonicalForms = new Map<string, string>();
const parsedElements = new Map<string, Json>();

function parsed(element: string): Json {
  let value = parsedElements.get(element);
  if (value === undefined) {
    value = parseJson(element.slice(2));
    if (parsedElements.size >= maxRemembered) parsedElements.clear();
    parsedElements.set(element, value);
  }
  return value;
}

/** Undefined for a kind of element that is not known; throws on one that cannot be read. */
export function canonicalElement(text: string): string | undefined {
  if (text.startsWith('f:')) return text;
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const known = canonicalForms.get(text);
  if (known !== undefined) return known;

  const canonical = readElement(text);
  if (canonical === undefined) return undefined;
  if (canonicalForms.size >= maxRemembered) canonicalForms.clear();
  canonicalForms.set(text, canonical);
  return canonical;
}

function readElement(text: string): string | undefined {
  const body = text.slice(2);
  if (text[0] === 'v') return valueElement(parseJson(body));
  if (text[0] === 'i') {
    if (!/^[+-]?\d+$/.test(body)) throw new Error(`strconv.Atoi: parsing ${goQuote(body)}: invalid syntax`);
    return `i:${Number(body)}`;
  }
  if (text[0] !== 'k') return undefined;
  const key = parseJson(body);
  if (!isJsonObject(key)) throw new Error(`expected a map of keys, got ${body}`);
  const names = Object.keys(key).sort();
  return keyElement(
    names,
    names.map(name => key[name]),
  );
}

/** As messages print it: `.spec`, `[name="c"]`, `[="x"]`, `[0]`. */
export function printElement(element: string): string {
  const body = element.slice(2);
  if (element[0] === 'f') return `.${body}`;
  if (element[0] === 'i') return `[${body}]`;
  if (element[0] === 'v') return `[=${printKeyValue(parseJson(body))}]`;
  const key = parseJson(body) as Record<string, Json>;
  return `[${Object.keys(key)
    .map(name => `${name}=${printKeyValue(key[name] as Json)}`)
    .join(',')}]`;
}

function printKeyValue(value: Json): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? goQuote(value) : goPrint(value);
}

const rank: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 };

/** The order in which FieldsV1 lists elements: itself, fields, keys, values, indices; numbers by size. */
export function compareElements(a: string, b: string): number {
  const kind = a[0] as string;
  if (kind !== b[0]) return (rank[kind] ?? 9) - (rank[b[0] as string] ?? 9);
  if (kind === 'f' || kind === '.') return a < b ? -1 : a > b ? 1 : 0;
  if (a === b) return 0;
  if (kind === 'k') return compareKeys(parsed(a) as Record<string, Json>, parsed(b) as Record<string, Json>);
  return compareValues(parsed(a), parsed(b));
}

function compareKeys(a: Record<string, Json>, b: Record<string, Json>): number {
  const left = Object.keys(a);
  const right = Object.keys(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const name = left[i] as string;
    const other = right[i] as string;
    if (name !== other) return name < other ? -1 : 1;
    const order = compareValues(a[name] as Json, b[other] as Json);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const typeRank = (value: Json) => {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  return typeof value === 'boolean' ? 2 : value === null ? 4 : 3;
};

function compareValues(a: Json, b: Json): number {
  const ranks = typeRank(a) - typeRank(b);
  if (ranks !== 0) return ranks;
  if (a === null || b === null || typeof a === 'object' || typeof b === 'object') {
    const left = printJson(a);
    const right = printJson(b);
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
