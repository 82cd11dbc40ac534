import { ExpressionError } from './expression-error.ts';

export type Token =
  | { readonly kind: 'name' | 'sign'; readonly text: string; readonly at: number; readonly end: number }
  | { readonly kind: 'text'; readonly value: string; readonly at: number; readonly end: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number; readonly end: number }
  | { readonly kind: 'end'; readonly at: number; readonly end: number };

const blanks = /[ \t\r\n]*/y;
const name = /[\p{L}_][\p{L}\p{N}_]*(?:-+[\p{L}\p{N}_]+)*/uy;
const number = /-?[0-9]+(?:\.[0-9]+)?/y;
const sign = /\$\{|\|\||&&|==|!=|<=|>=|[<>!.,()[\]{}]/y;
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', "'": "'", '\\': '\\' };

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

/** The token of a source at or after a position. */
export function nextToken(source: string, from: number): Token {
  const at = from + match(blanks, source, from)!.length;
  if (at >= source.length) return { kind: 'end', at, end: at };
  const first = source[at]!;
  if (first === '"' || first === "'") return textToken(source, at);
  const word = match(name, source, at);
  if (word !== undefined) return { kind: 'name', text: word, at, end: at + word.length };
  const digits = match(number, source, at);
  if (digits !== undefined) return { kind: 'number', value: Number(digits), at, end: at + digits.length };
  const found = match(sign, source, at);
  if (found !== undefined) return { kind: 'sign', text: found, at, end: at + found.length };
  throw new ExpressionError(`unexpected "${String.fromCodePoint(source.codePointAt(at)!)}"`, at);
}

/** A backslash that escapes nothing stays: patterns are full of them. */
function textToken(source: string, at: number): Token {
  const quote = source[at]!;
  let value = '';
  for (let i = at + 1; i < source.length; i++) {
    const one = source[i]!;
    if (one === quote) return { kind: 'text', value, at, end: i + 1 };
    const escaped = one === '\\' ? escapes[source[i + 1] ?? ''] : undefined;
    value += escaped ?? one;
    if (escaped !== undefined) i++;
  }
  throw new ExpressionError(`the text that begins with ${quote} does not end`, at);
}
