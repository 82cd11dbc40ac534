import { goQuote } from '../../util/go-quote.ts';
import type { WholeFloat } from '../verbs/decode-object.ts';

const maxDepth = 10_000;
/** The first one that does not fit is reported; nobody needs more than a few. */
const maxWholeFloats = 1000;
const whitespace = /[ \t\r\n]*/y;
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const literalToken = /true|false|null/y;

/** A document that is not JSON, in the words of Go's decoder. */
export class JsonSyntaxError extends Error {}

export interface ScannedJson {
  /** Fields that appear twice, as `spec.containers[0].name`. */
  readonly duplicates: string[];
  /** Integers that are written as floats: Go does not take them for integers. */
  readonly wholeFloats: WholeFloat[];
}

type FieldListener = (path: string, at: number) => void;

/** An object or array that is still open. */
interface Level {
  /** Undefined in an array. */
  readonly seen: Set<string> | undefined;
  key: string;
  index: number;
}

/**
 * Walks JSON text once for what JSON.parse does not tell: fields that appear twice, integers written as floats, nesting that is too deep, and,
 * when the text is not JSON, Go's description of the fault.
 */
export function scanJson(text: string, onField?: FieldListener): ScannedJson {
  return new JsonScanner(text, onField).scan();
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

class JsonScanner {
  private readonly text: string;
  private readonly onField: FieldListener | undefined;
  private readonly levels: Level[] = [];
  private readonly duplicates: string[] = [];
  private readonly wholeFloats: WholeFloat[] = [];
  private at = 0;

  constructor(text: string, onField: FieldListener | undefined) {
    this.text = text;
    this.onField = onField;
  }

  scan(): ScannedJson {
    do {
      this.skipSpace();
      if (this.enter()) continue;
      this.scanScalar();
      this.leave();
    } while (this.levels.length > 0);
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpected('after top-level value');
    return { duplicates: this.duplicates, wholeFloats: this.wholeFloats };
  }

  /** Goes into an object or array that has members. Answers false at a scalar, which an empty one is as good as. */
  private enter(): boolean {
    const c = this.text[this.at];
    if (c !== '{' && c !== '[') return false;
    if (this.levels.length >= maxDepth) throw new JsonSyntaxError('exceeded max depth');
    const start = this.at++;
    this.skipSpace();
    if (this.text[this.at] === (c === '{' ? '}' : ']')) {
      this.at = start;
      return false;
    }
    this.levels.push({ seen: c === '{' ? new Set() : undefined, key: '', index: 0 });
    if (c === '{') this.scanKey();
    return true;
  }

  private scanScalar(): void {
    const start = this.at;
    const c = this.text[start];
    if (c === '{' || c === '[') {
      this.at++;
      this.skipSpace();
      this.at++;
    } else if (c === '"') this.scanString();
    else if (this.take(numberToken)) this.checkNumber(start);
    else if (!this.take(literalToken)) throw this.literalFault();
  }

  /** After a value: on to the next member, out of everything that ends here. */
  private leave(): void {
    for (let level = this.levels.at(-1); level; level = this.levels.at(-1)) {
      this.skipSpace();
      const c = this.text[this.at];
      if (c === ',') {
        this.at++;
        level.index++;
        if (!level.seen) return;
        this.skipSpace();
        this.scanKey();
        return;
      }
      if (c !== (level.seen ? '}' : ']')) throw this.unexpected(level.seen ? 'after object key:value pair' : 'after array element');
      this.at++;
      this.levels.pop();
    }
  }

  private scanKey(): void {
    const level = this.levels.at(-1)!;
    const start = this.at;
    if (this.text[start] !== '"') throw this.unexpected('looking for beginning of object key string');
    level.key = this.scanString();
    this.onField?.(this.dottedPath(), start);
    if (level.seen!.has(level.key)) this.duplicates.push(this.dottedPath());
    level.seen!.add(level.key);
    this.skipSpace();
    if (this.text[this.at] !== ':') throw this.unexpected('after object key');
    this.at++;
  }

  private dottedPath(): string {
    let path = '';
    for (const { seen, key, index } of this.levels) path += seen ? (path === '' ? key : `.${key}`) : `[${index}]`;
    return path;
  }

  private scanString(): string {
    const start = this.at;
    if (!this.take(stringToken)) throw this.stringFault();
    const raw = this.text.slice(start, this.at);
    return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  }

  private checkNumber(start: number): void {
    const next = this.text[this.at];
    if (next === '.') throw this.unexpected('after decimal point in numeric literal', this.at + 1);
    if (next === 'e' || next === 'E') {
      const sign = this.text[this.at + 1];
      throw this.unexpected('in exponent of numeric literal', this.at + (sign === '+' || sign === '-' ? 2 : 1));
    }
    const text = this.text.slice(start, this.at);
    if (this.wholeFloats.length >= maxWholeFloats || !/[.eE]/.test(text)) return;
    const value = Number(text);
    if (Number.isFinite(value) && !Number.isInteger(value)) return;
    this.wholeFloats.push({ path: this.levels.map(({ seen, key, index }) => (seen ? key : index)), text });
  }

  private take(token: RegExp): boolean {
    token.lastIndex = this.at;
    if (!token.test(this.text)) return false;
    this.at = token.lastIndex;
    return true;
  }

  private skipSpace(): void {
    whitespace.lastIndex = this.at;
    whitespace.test(this.text);
    this.at = whitespace.lastIndex;
  }

  private unexpected(where: string, at = this.at): JsonSyntaxError {
    if (at >= this.text.length) return new JsonSyntaxError('unexpected end of JSON input');
    // Go looks at bytes: of a character beyond ASCII it sees the first one.
    const [byte = 0] = Buffer.from(String.fromCodePoint(this.text.codePointAt(at)!));
    return new JsonSyntaxError(`invalid character ${printCharacter(String.fromCharCode(byte))} ${where}`);
  }

  private stringFault(): JsonSyntaxError {
    const { text } = this;
    for (let i = this.at + 1; i < text.length; i++) {
      const c = text[i]!;
      if (c < ' ') return this.unexpected('in string literal', i);
      if (c !== '\\') continue;
      const next = text[++i];
      if (next === 'u') {
        for (let digit = 0; digit < 4; digit++) {
          i++;
          if (i >= text.length) return this.unexpected('', i);
          if (!/[0-9a-fA-F]/.test(text[i]!)) return this.unexpected('in \\u hexadecimal character escape', i);
        }
      } else if (next === undefined || !'"\\/bfnrt'.includes(next)) return this.unexpected('in string escape code', i);
    }
    return new JsonSyntaxError('unexpected end of JSON input');
  }

  private literalFault(): JsonSyntaxError {
    const { text, at } = this;
    const c = text[at];
    if (c === '-') return this.unexpected('in numeric literal', at + 1);
    const literal = ['true', 'false', 'null'].find(word => word[0] === c);
    if (literal === undefined) return this.unexpected('looking for beginning of value');
    let i = 1;
    while (text[at + i] === literal[i]) i++;
    return this.unexpected(`in literal ${literal} (expecting '${literal[i]}')`, at + i);
  }
}

function printCharacter(c: string): string {
  if (c === "'") return `'\\''`;
  if (c === '"') return `'"'`;
  return `'${goQuote(c).slice(1, -1)}'`;
}
