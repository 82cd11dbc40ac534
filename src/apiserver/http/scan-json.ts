import { goQuote } from '../../util/go-quote.ts';
import type { WholeFloat } from '../verbs/decode-object.ts';

const maxDepth = 10_000;
const whitespace = /[ \t\r\n]*/y;
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const literalToken = /true|false|null/y;

interface Scanner {
  readonly text: string;
  at: number;
  depth: number;
  readonly duplicates: string[];
  readonly wholeFloats: WholeFloat[];
  readonly onField: ((path: string, at: number) => void) | undefined;
}

interface Scanned {
  readonly duplicates: string[];
  readonly wholeFloats: WholeFloat[];
}

/** A document that is not JSON, in the words of Go's decoder. */
export class JsonSyntaxError extends Error {}

/**
 * Walks JSON text once for what JSON.parse does not tell: fields that appear twice (as `spec.containers[0].name`), nesting that is too deep,
 * and, when the text is not JSON, Go's description of the fault.
 */
export function scanJson(text: string, onField?: (path: string, at: number) => void): Scanned {
  const scanner: Scanner = { text, at: 0, depth: 0, duplicates: [], wholeFloats: [], onField };
  skipSpace(scanner);
  scanValue(scanner, '');
  skipSpace(scanner);
  if (scanner.at < text.length) throw unexpected(scanner, 'after top-level value');
  return { duplicates: scanner.duplicates, wholeFloats: scanner.wholeFloats };
}

/** Where in the text each field stands, and stands again. */
export function fieldPositions(text: string): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  scanJson(text, (path, at) => {
    const places = positions.get(path);
    if (places) places.push(at);
    else positions.set(path, [at]);
  });
  return positions;
}

function scanValue(s: Scanner, path: string): void {
  const c = s.text[s.at];
  if (c === '{') return scanObject(s, path);
  if (c === '[') return scanArray(s, path);
  if (c === '"') return void scanString(s);
  const start = s.at;
  if (take(s, numberToken)) return noteFloat(s, path, s.text.slice(start, s.at));
  if (take(s, literalToken)) return;
  throw literalFault(s);
}

function scanObject(s: Scanner, path: string): void {
  enter(s);
  const seen = new Set<string>();
  skipSpace(s);
  if (s.text[s.at] === '}') return leave(s);
  for (;;) {
    if (s.text[s.at] !== '"')
      throw unexpected(s, seen.size === 0 ? 'looking for beginning of object key string' : 'looking for beginning of object key string');
    const start = s.at;
    const key = scanString(s);
    const child = path === '' ? key : `${path}.${key}`;
    s.onField?.(child, start);
    if (seen.has(key)) s.duplicates.push(child);
    seen.add(key);
    skipSpace(s);
    if (s.text[s.at] !== ':') throw unexpected(s, 'after object key');
    s.at++;
    skipSpace(s);
    scanValue(s, child);
    skipSpace(s);
    if (s.text[s.at] === '}') return leave(s);
    if (s.text[s.at] !== ',') throw unexpected(s, 'after object key:value pair');
    s.at++;
    skipSpace(s);
  }
}

function scanArray(s: Scanner, path: string): void {
  enter(s);
  skipSpace(s);
  if (s.text[s.at] === ']') return leave(s);
  for (let i = 0; ; i++) {
    scanValue(s, `${path}[${i}]`);
    skipSpace(s);
    if (s.text[s.at] === ']') return leave(s);
    if (s.text[s.at] !== ',') throw unexpected(s, 'after array element');
    s.at++;
    skipSpace(s);
  }
}

/** Integers that are written as floats are told apart: Go does not take them for integers. */
function noteFloat(s: Scanner, path: string, text: string): void {
  if (!/[.eE]/.test(text) || !Number.isInteger(Number(text))) return;
  const steps = path.match(/[^.[\]]+/g) ?? [];
  s.wholeFloats.push({ path: steps.map(step => (/^[0-9]+$/.test(step) ? Number(step) : step)), text });
}

function enter(s: Scanner): void {
  s.at++;
  if (++s.depth > maxDepth) throw new JsonSyntaxError('exceeded max depth');
}

function leave(s: Scanner): void {
  s.at++;
  s.depth--;
}

function scanString(s: Scanner): string {
  const start = s.at;
  stringToken.lastIndex = start;
  const match = stringToken.exec(s.text);
  if (!match) throw stringFault(s);
  s.at = stringToken.lastIndex;
  const raw = match[0];
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

function take(s: Scanner, token: RegExp): boolean {
  token.lastIndex = s.at;
  if (!token.test(s.text)) return false;
  s.at = token.lastIndex;
  return true;
}

function skipSpace(s: Scanner): void {
  whitespace.lastIndex = s.at;
  whitespace.test(s.text);
  s.at = whitespace.lastIndex;
}

function unexpected(s: Scanner, where: string, at = s.at): JsonSyntaxError {
  if (at >= s.text.length) return new JsonSyntaxError('unexpected end of JSON input');
  // Go looks at bytes: of a character beyond ASCII it sees the first one.
  const [byte = 0] = Buffer.from(String.fromCodePoint(s.text.codePointAt(at)!));
  return new JsonSyntaxError(`invalid character ${printCharacter(String.fromCharCode(byte))} ${where}`);
}

function printCharacter(c: string): string {
  if (c === "'") return `'\\''`;
  if (c === '"') return `'"'`;
  return `'${goQuote(c).slice(1, -1)}'`;
}

function stringFault(s: Scanner): JsonSyntaxError {
  for (let i = s.at + 1; i < s.text.length; i++) {
    const c = s.text[i]!;
    if (c < ' ') return unexpected(s, 'in string literal', i);
    if (c !== '\\') continue;
    const next = s.text[++i];
    if (next === 'u') {
      for (let digit = 0; digit < 4; digit++) {
        i++;
        if (i >= s.text.length) return unexpected(s, '', i);
        if (!/[0-9a-fA-F]/.test(s.text[i]!)) return unexpected(s, 'in \\u hexadecimal character escape', i);
      }
    } else if (next === undefined || !'"\\/bfnrt'.includes(next)) return unexpected(s, 'in string escape code', i);
  }
  return new JsonSyntaxError('unexpected end of JSON input');
}

function literalFault(s: Scanner): JsonSyntaxError {
  const c = s.text[s.at];
  if (c === '-') return unexpected(s, 'in numeric literal', s.at + 1);
  const literal = ['true', 'false', 'null'].find(word => word[0] === c);
  if (literal === undefined) return unexpected(s, 'looking for beginning of value');
  let i = 1;
  while (s.text[s.at + i] === literal[i]) i++;
  return unexpected(s, `in literal ${literal} (expecting '${literal[i]}')`, s.at + i);
}
