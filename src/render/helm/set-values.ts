import { goQuote } from '../../util/go-quote.ts';
import { parseJson } from '../../util/json.ts';
import { toGoValue } from '../go/to-go-value.ts';
import { int64, isMap, isSlice, typeOf, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';

const maxIndex = 65_536;
const maxLevels = 30;

/** What `--set` makes of a value: words and whole numbers have types, all else is text. */
export function typedValue(text: string): GoValue {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  if (text === '0') return int64(0n);
  if (!/^[+-]?[0-9]+$/.test(text) || text.startsWith('0')) return text;
  const number = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, number) === number ? int64(number) : text;
}

/**
 * Puts what `--set a.b[0]=1,c={x,y}` says into values, in Helm's grammar: commas, dots, brackets and braces mean something unless a backslash
 * comes before them. Throws with Helm's words. A text that ends before its value does says nothing, as with Helm.
 */
export function setValues(into: GoMap, text: string, read: (text: string) => GoValue = typedValue): void {
  const parser = new SetParser(text, read);
  while (parser.readPair(into, 0));
}

/** The same for `--set-json a.b=[1],c={"d":2}`: values are JSON. Throws when they are not. */
export function setJsonValues(into: GoMap, text: string): void {
  const parser = new JsonSetParser(text, typedValue);
  while (parser.readPair(into, 0));
}

/** The same for `--set-literal a.b=anything, even = and ,`: one name, and all the rest is its value. */
export function setLiteralValue(into: GoMap, text: string): void {
  const parser = new LiteralSetParser(text, value => value);
  while (parser.readPair(into, 0));
}

class SetParser {
  protected readonly letters: readonly string[];
  protected readonly keyStops: string = '=[,.';
  private readonly read: (text: string) => GoValue;
  protected at = 0;

  constructor(text: string, read: (text: string) => GoValue) {
    this.letters = [...text];
    this.read = read;
  }

  /** Reads a name and its value; false when the text ends before that. */
  readPair(into: GoMap, level: number): boolean {
    const { text: key, stop } = this.readUntil(this.keyStops);
    switch (stop) {
      case undefined:
        if (key === '') return false;
        throw new Error(`key ${goQuote(key)} has no value`);
      case '[':
        return this.readListOf(into, key, level);
      case '=':
        return this.readValueOf(into, key);
      case ',':
        throw new Error(`key ${goQuote(key)} has no value (cannot end with ,)`);
      default:
        return this.readMapOf(into, key, level + 1);
    }
  }

  protected readValueOf(into: GoMap, key: string): boolean {
    const isEnd = this.at === this.letters.length;
    setKey(into, key, this.readValue());
    return !isEnd;
  }

  private readMapOf(into: GoMap, key: string, level: number): boolean {
    if (level > maxLevels) throw new Error(`value name nested level is greater than maximum supported nested level of ${maxLevels}`);
    const present = into.get(key);
    if (into.has(key) && !isMap(present)) throw conversionError(present, 'map[string]interface {}');
    const inner: GoMap = isMap(present) ? present : new Map();
    const isMore = this.readPair(inner, level);
    if (isMore && inner.size === 0) throw new Error(`key map ${goQuote(key)} has no value`);
    if (inner.size > 0) setKey(into, key, inner);
    return isMore;
  }

  private readListOf(into: GoMap, key: string, level: number): boolean {
    const index = this.readIndex();
    if (index === undefined) return false;
    const present = into.get(key);
    if (into.has(key) && !isSlice(present)) throw conversionError(present, '[]interface {}');
    const list: GoSlice = isSlice(present) ? present : [];
    const isMore = this.readItem(list, index, level);
    setKey(into, key, list);
    return isMore;
  }

  /** Reads what comes after `[index]` into the list. */
  private readItem(list: GoSlice, index: number, level: number): boolean {
    if (index < 0) throw new Error(`negative ${index} index not allowed`);
    const { text, stop } = this.readUntil('[.=');
    if (text !== '') {
      const letters = [...text].map(letter => `'${goQuote(letter).slice(1, -1)}'`);
      throw new Error(`unexpected data at end of array index: [${letters.join(' ')}]`);
    }
    if (stop === undefined) return false;
    if (stop === '=') {
      setItem(list, index, this.readValue());
      return true;
    }
    if (stop === '.') {
      const present = list[index];
      const inner: GoMap = isMap(present) ? present : new Map();
      if (index < list.length) list[index] = inner;
      if (!this.readPair(inner, level)) return false;
      setItem(list, index, inner);
      return true;
    }
    const next = this.readIndex();
    if (next === undefined) return false;
    const present = list[index];
    if (present !== undefined && present !== null && !isSlice(present)) throw conversionError(present, '[]interface {}');
    const inner: GoSlice = isSlice(present) ? present : [];
    if (!this.readItem(inner, next, level)) return false;
    setItem(list, index, inner);
    return true;
  }

  private readIndex(): number | undefined {
    const { text, stop } = this.readUntil(']');
    if (stop === undefined) return undefined;
    if (!/^[+-]?[0-9]+$/.test(text)) throw new Error(`error parsing index: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
    const index = BigInt(text.replace('+', ''));
    if (BigInt.asIntN(64, index) !== index) {
      throw new Error(`error parsing index: strconv.Atoi: parsing ${goQuote(text)}: value out of range`);
    }
    return Number(index);
  }

  protected readValue(): GoValue {
    if (this.at === this.letters.length) return '';
    if (this.letters[this.at] !== '{') return this.read(this.readUntil(',').text);
    this.at++;
    const list: GoSlice = [];
    for (;;) {
      const { text, stop } = this.readUntil(',}');
      if (stop === undefined) throw new Error("list must terminate with '}'");
      list.push(this.read(text));
      if (stop === ',') continue;
      if (this.letters[this.at] === ',') this.at++;
      return list;
    }
  }

  protected readUntil(stops: string): { text: string; stop: string | undefined } {
    let text = '';
    while (this.at < this.letters.length) {
      const letter = this.letters[this.at++]!;
      if (stops.includes(letter)) return { text, stop: letter };
      if (letter !== '\\') text += letter;
      else if (this.at < this.letters.length) text += this.letters[this.at++]!;
    }
    return { text, stop: undefined };
  }
}

class JsonSetParser extends SetParser {
  protected override readValueOf(into: GoMap, key: string): boolean {
    setKey(into, key, this.readValue());
    return true;
  }

  protected override readValue(): GoValue {
    if (this.skipToValue()) return null;
    const rest = this.letters.slice(this.at).join('');
    const text = rest.slice(0, endOfJson(rest));
    const value = toGoValue(parseJson(text));
    this.at += [...text].length;
    this.skipToValue();
    return value;
  }

  /** Passes blanks and one comma; true when there is no value before it. */
  private skipToValue(): boolean {
    while (this.at < this.letters.length) {
      const letter = this.letters[this.at]!;
      if (letter !== ',' && letter.trim() !== '') return false;
      this.at++;
      if (letter === ',') return true;
    }
    return true;
  }
}

/** Where the first JSON value of a text ends. */
function endOfJson(text: string): number {
  let depth = 0;
  for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s,:"[\]{}]+/g)) {
    if (token[0] === '[' || token[0] === '{') depth++;
    else if (token[0] === ']' || token[0] === '}') depth--;
    if (depth <= 0) return token.index + token[0].length;
  }
  return text.length;
}

class LiteralSetParser extends SetParser {
  protected override readonly keyStops = '=[.';

  protected override readValueOf(into: GoMap, key: string): boolean {
    setKey(into, key, this.readValue());
    return true;
  }

  protected override readValue(): GoValue {
    const text = this.letters.slice(this.at).join('');
    this.at = this.letters.length;
    return text;
  }

  /** Nothing is escaped. */
  protected override readUntil(stops: string): { text: string; stop: string | undefined } {
    const from = this.at;
    while (this.at < this.letters.length && !stops.includes(this.letters[this.at]!)) this.at++;
    const text = this.letters.slice(from, this.at).join('');
    return { text, stop: this.letters[this.at++] };
  }
}

function setKey(into: GoMap, key: string, value: GoValue): void {
  if (key !== '') into.set(key, value);
}

function setItem(list: GoSlice, index: number, value: GoValue): void {
  if (index > maxIndex) throw new Error(`index of ${index} is greater than maximum supported index of ${maxIndex}`);
  while (list.length < index) list.push(null);
  list[index] = value;
}

function conversionError(value: GoValue, wanted: string): Error {
  const name = value === null || value === undefined ? 'nil' : typeOf(value).name;
  return new Error(`unable to parse key: interface conversion: interface {} is ${name}, not ${wanted}`);
}
