import { parseJson, type Json } from '../util/json.ts';
import { readYaml } from './read-yaml.ts';

/**
 * The values of a document as kubectl reads files: JSON where it begins like JSON and is, one value after the other, and YAML otherwise. As YAML, what JSON
 * may say of characters beyond 16 bits, by two escapes, is refused. Throws YamlError.
 */
export function readDocument(text: string): Json[] {
  return readJson(text) ?? [readYaml(text).value];
}

/** Of texts that hold one value. */
export function readValue(text: string): Json {
  const values = readJson(text);
  return values?.length === 1 ? values[0]! : readYaml(text).value;
}

const space = ' \t\r\n';
/** As Go. */
const maxDepth = 10_000;
const halfEscape = /\\u[dD][89a-fA-F]/;

/** Undefined when it is not JSON throughout. */
function readJson(text: string): Json[] | undefined {
  const body = text.replace(/^\ufeff/, '');
  const values: Json[] = [];
  for (let start = firstSign(body, 0); start < body.length;) {
    const end = endOfValue(body, start);
    if (end === undefined) return undefined;
    const source = body.slice(start, end);
    try {
      const value = parseJson(source);
      values.push(halfEscape.test(source) ? wellFormed(value) : value);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
    start = firstSign(body, end);
  }
  return values.length === 0 ? undefined : values;
}

function firstSign(text: string, from: number): number {
  let at = from;
  while (at < text.length && space.includes(text[at]!)) at++;
  return at;
}

/** Where the object or list ends that begins at a place. Undefined when none begins there, it has no end, or is too deep. */
function endOfValue(text: string, start: number): number | undefined {
  if (text[start] !== '{' && text[start] !== '[') return undefined;
  let depth = 0;
  const sign = /["[\]{}]/g;
  sign.lastIndex = start;
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    if (found[0] === '"') {
      const end = endOfString(text, found.index);
      if (end === undefined) return undefined;
      sign.lastIndex = end;
    } else if (found[0] === '{' || found[0] === '[') {
      if (++depth > maxDepth) return undefined;
    } else if (--depth === 0) return sign.lastIndex;
  }
  return undefined;
}

function endOfString(text: string, start: number): number | undefined {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return undefined;
}

/** Half a character is none: as Go, which has the sign of replacement for it. */
function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)]));
}
