import { faultAt, type Mark, type YamlCursor, type YamlError } from './yaml-cursor.ts';

export type ScalarQuotes = 'single' | 'double' | 'literal' | 'folded';

export interface ScannedScalar {
  readonly value: string;
  readonly isPlain: boolean;
  /** How a scalar that is not plain was written. */
  readonly quotes?: ScalarQuotes;
}

/** What a scalar needs to know of the collection around it. */
export interface ScalarContext {
  readonly indent: number;
  readonly isInFlow: boolean;
}

/** Breaks and blanks between two parts of a scalar that spans lines. */
class Gap {
  leadingBreak = '';
  trailingBreaks = '';
  blanks = '';
  isAcrossLines = false;

  /** Takes the gap: a single line break folds into a space. */
  take(): string {
    const { leadingBreak, trailingBreaks, blanks, isAcrossLines } = this;
    this.leadingBreak = this.trailingBreaks = this.blanks = '';
    this.isAcrossLines = false;
    if (!isAcrossLines) return blanks;
    if (!leadingBreak.startsWith('\n')) return leadingBreak + trailingBreaks;
    return trailingBreaks === '' ? ' ' : trailingBreaks;
  }

  readBreak(cursor: YamlCursor): void {
    if (this.isAcrossLines) this.trailingBreaks += cursor.readBreak();
    else {
      this.blanks = '';
      this.leadingBreak = cursor.readBreak();
      this.isAcrossLines = true;
    }
  }
}

const plainRun = /[^ \t\n\r\u0085\u2028\u2029\0:]+/y;
const plainRunInFlow = /[^ \t\n\r\u0085\u2028\u2029\0:,?[\]{}]+/y;
const quotedRun = /[^ \t\n\r\u0085\u2028\u2029\0'"\\]+/y;
const lineRun = /[^\n\r\u0085\u2028\u2029\0]+/y;
const flowIndicators = new Set([',', '?', '[', ']', '{', '}']);

/** A scalar without quotes. `endsLine` tells that a new key may follow. */
export function scanPlain(cursor: YamlCursor, { indent, isInFlow }: ScalarContext): ScannedScalar & { endsLine: boolean } {
  const start = cursor.mark;
  const gap = new Gap();
  let value = '';
  for (;;) {
    if (cursor.isDocumentIndicator() || cursor.peek() === '#') break;
    while (!cursor.isBlankOrEnd()) {
      const c = cursor.peek();
      if ((c === ':' && cursor.isBlankOrEnd(1)) || (isInFlow && flowIndicators.has(c))) break;
      if (gap.isAcrossLines || gap.blanks !== '') value += gap.take();
      value += c === ':' ? cursor.read() : cursor.readRun(isInFlow ? plainRunInFlow : plainRun);
    }
    if (!cursor.isBlank() && !cursor.isBreak()) break;
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBreak()) gap.readBreak(cursor);
      else if (gap.isAcrossLines && cursor.col < indent + 1 && cursor.peek() === '\t') {
        throw faultAt('found a tab character that violates indentation', cursor.mark, start, true);
      } else if (gap.isAcrossLines) cursor.skip();
      else gap.blanks += cursor.read();
    }
    if (!isInFlow && cursor.col < indent + 1) break;
  }
  return { value, isPlain: true, endsLine: gap.isAcrossLines };
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};
const codeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** A scalar in single or double quotes. */
export function scanQuoted(cursor: YamlCursor): ScannedScalar {
  const start = cursor.mark;
  const quote = cursor.read();
  const isSingle = quote === "'";
  const fault = (problem: string): YamlError => faultAt(problem, cursor.mark, start, true);
  const gap = new Gap();
  let value = '';
  for (;;) {
    if (cursor.isDocumentIndicator()) throw fault('found unexpected document indicator');
    if (cursor.isEnd()) throw fault('found unexpected end of stream');
    while (!cursor.isBlankOrEnd()) {
      const c = cursor.peek();
      if (isSingle && c === quote && cursor.peek(1) === quote) {
        value += quote;
        cursor.skip(2);
      } else if (c === quote) break;
      else if (!isSingle && c === '\\' && cursor.isBreak(1)) {
        cursor.skip();
        cursor.readBreak();
        gap.isAcrossLines = true;
        break;
      } else if (!isSingle && c === '\\') value += readEscape(cursor, fault);
      else value += cursor.readRun(quotedRun) || cursor.read();
    }
    if (cursor.peek() === quote) break;
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBreak()) gap.readBreak(cursor);
      else if (gap.isAcrossLines) cursor.skip();
      else gap.blanks += cursor.read();
    }
    value += gap.take();
  }
  cursor.skip();
  return { value, isPlain: false, quotes: isSingle ? 'single' : 'double' };
}

function readEscape(cursor: YamlCursor, fault: (problem: string) => YamlError): string {
  const kind = cursor.peek(1);
  const plain = Object.hasOwn(escapes, kind) ? escapes[kind] : undefined;
  if (plain !== undefined) {
    cursor.skip(2);
    return plain;
  }
  const length = Object.hasOwn(codeLengths, kind) ? codeLengths[kind]! : 0;
  if (length === 0) throw fault('found unknown escape character');
  cursor.skip(2);
  let digits = '';
  for (let i = 0; i < length; i++) digits += cursor.peek(i);
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw fault('did not find expected hexdecimal number');
  const code = Number.parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) throw fault('found invalid Unicode character escape code');
  cursor.skip(length);
  return String.fromCodePoint(code);
}

/** A scalar after `|` or `>`. */
export function scanBlock(cursor: YamlCursor, { indent: parentIndent }: ScalarContext): ScannedScalar {
  const start = cursor.mark;
  const isLiteral = cursor.read() === '|';
  const fault = (problem: string): YamlError => faultAt(problem, cursor.mark, start, true);
  const { chomping, increment } = readHeader(cursor, fault);
  cursor.skipBlanks();
  cursor.skipComment();
  if (!cursor.isBreakOrEnd()) throw fault('did not find expected comment or line break');
  if (cursor.isBreak()) cursor.readBreak();

  let indent = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  let value = '';
  let leadingBreak = '';
  let wasBlank = false;
  let found = readIndentation(cursor, indent, parentIndent, start);
  ({ indent } = found);
  let { breaks } = found;
  while (cursor.col === indent && !cursor.isEnd()) {
    const isBlank = cursor.isBlank();
    if (!isLiteral && !wasBlank && !isBlank && leadingBreak.startsWith('\n')) {
      if (breaks === '') value += ' ';
    } else value += leadingBreak;
    value += breaks;
    wasBlank = isBlank;
    value += cursor.readRun(lineRun);
    leadingBreak = cursor.isBreak() ? cursor.readBreak() : '';
    found = readIndentation(cursor, indent, parentIndent, start);
    ({ breaks } = found);
  }
  if (chomping !== '-') value += leadingBreak;
  if (chomping === '+') value += breaks;
  return { value, isPlain: false, quotes: isLiteral ? 'literal' : 'folded' };
}

function readHeader(cursor: YamlCursor, fault: (problem: string) => YamlError): { chomping: string; increment: number } {
  let chomping = '';
  let increment = 0;
  for (let i = 0; i < 2; i++) {
    const c = cursor.peek();
    if (chomping === '' && (c === '+' || c === '-')) chomping = c;
    else if (increment === 0 && c >= '0' && c <= '9') {
      if (c === '0') throw fault('found an indentation indicator equal to 0');
      increment = Number(c);
    } else break;
    cursor.skip();
  }
  return { chomping, increment };
}

/** Skips the indentation of a block scalar and the empty lines before its next line; finds out how deep it is when nobody has said so. */
function readIndentation(cursor: YamlCursor, indent: number, parentIndent: number, start: Mark): { indent: number; breaks: string } {
  let breaks = '';
  let deepest = 0;
  for (;;) {
    while ((indent === 0 || cursor.col < indent) && cursor.peek() === ' ') cursor.skip();
    deepest = Math.max(deepest, cursor.col);
    if ((indent === 0 || cursor.col < indent) && cursor.peek() === '\t') {
      throw faultAt('found a tab character where an indentation space is expected', cursor.mark, start, true);
    }
    if (!cursor.isBreak()) break;
    breaks += cursor.readBreak();
  }
  return { indent: indent === 0 ? Math.max(deepest, parentIndent + 1, 1) : indent, breaks };
}
