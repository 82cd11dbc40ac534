import { CelIssues } from './cel-issues.ts';

export interface Token {
  readonly kind: 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'ident' | 'quoted' | 'punct' | 'end';
  readonly text: string;
  readonly pos: number;
  readonly bytes?: Uint8Array;
}

/** What may stand where a value is wanted, in the words of the real parser. */
export const operandStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const skipped = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y;
const number =
  /0[xX][0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)|[0-9]+[uU]?/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const quotedIdentifier = /`([A-Za-z0-9_.\-/ ]+)`/y;
const stringStart = /([bB]?[rR]?|[rR][bB])("""|'''|"|')/y;
const punctuation = /\|\||&&|==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  for (;;) {
    at += match(skipped)?.[0].length ?? 0;
    if (at >= source.length) break;
    const pos = at;
    const opening = match(stringStart);
    if (opening) {
      const token = readString(source, pos, opening[1]!.toLowerCase(), opening[2]!);
      tokens.push(token.token);
      at = token.end;
      continue;
    }
    const digits = match(number);
    if (digits && !(digits[0].startsWith('.') && tokens.at(-1)?.kind === 'ident')) {
      tokens.push(numberToken(digits[0], pos));
      at += digits[0].length;
      continue;
    }
    const name = match(identifier);
    const quoted = name ? null : match(quotedIdentifier);
    const punct = name || quoted ? null : match(punctuation);
    if (name) tokens.push({ kind: 'ident', text: name[0], pos });
    else if (quoted) tokens.push({ kind: 'quoted', text: quoted[1]!, pos });
    else if (punct) tokens.push({ kind: 'punct', text: punct[0], pos });
    else throw new CelIssues(source, [{ pos, message: `Syntax error: token recognition error at: '${source[pos]}'` }]);
    at += (name ?? quoted ?? punct)![0].length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', pos: source.length });
  return tokens;
}

function numberToken(text: string, pos: number): Token {
  if (/^0[xX]/.test(text)) return /[uU]$/.test(text) ? { kind: 'uint', text: text.slice(0, -1), pos } : { kind: 'int', text, pos };
  if (/[uU]$/.test(text)) return { kind: 'uint', text: text.slice(0, -1), pos };
  return { kind: /[.eE]/.test(text) ? 'double' : 'int', text, pos };
}

const plainEscapes: Record<string, number> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92, '?': 63, '"': 34, "'": 39, '`': 96 };

function readString(source: string, start: number, prefix: string, quote: string): { token: Token; end: number } {
  const isRaw = prefix.includes('r');
  const isBytes = prefix.includes('b');
  let at = start + prefix.length + quote.length;
  const fail = (): CelIssues =>
    new CelIssues(source, [
      { pos: start, message: `Syntax error: token recognition error at: '${source.slice(start).split('\n')[0]}'` },
      { pos: source.length, message: `Syntax error: mismatched input '<EOF>' expecting ${operandStart}` },
    ]);
  let text = '';
  const bytes: number[] = [];
  const put = (code: number, isByte: boolean): void => {
    if (!isBytes) text += String.fromCodePoint(code);
    else if (isByte) bytes.push(code);
    else bytes.push(...new TextEncoder().encode(String.fromCodePoint(code)));
  };
  while (!source.startsWith(quote, at)) {
    const code = source.codePointAt(at);
    if (code === undefined || (quote.length === 1 && (code === 10 || code === 13))) throw fail();
    if (code !== 92 || isRaw) {
      put(code, false);
      at += code > 0xffff ? 2 : 1;
      if (code === 92 && isRaw && source[at] === quote) {
        put(quote.charCodeAt(0), false);
        at++;
      }
      continue;
    }
    const escape = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([abfnrtv\\?"'`]))/y;
    escape.lastIndex = at;
    const found = escape.exec(source);
    if (!found) throw fail();
    const [whole, hex, short, long, octal, plain] = found;
    if (hex !== undefined) put(Number.parseInt(hex, 16), true);
    else if (octal !== undefined) put(Number.parseInt(octal, 8), true);
    else if (plain !== undefined) put(plainEscapes[plain]!, false);
    else put(Number.parseInt(short ?? long ?? '0', 16), false);
    at += whole.length;
  }
  const token: Token = isBytes
    ? { kind: 'bytes', text: '', pos: start, bytes: Uint8Array.from(bytes) }
    : { kind: 'string', text, pos: start };
  return { token, end: at + quote.length };
}
