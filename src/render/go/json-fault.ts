const digit = /[0-9]/;
const hex = /[0-9a-fA-F]/;
const maxDepth = 10_000;

/** What encoding/json says of a text that is not JSON. */
export function jsonFault(text: string): string {
  return new Scan(text).fault() ?? 'unexpected end of JSON input';
}

/** Follows a text until it stops being JSON. */
class Scan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined when the text ended too early, or has no fault. */
  fault(): string | undefined {
    const open: ('{' | '[')[] = [];
    let wantsKey = false;
    for (let isValue = true; ;) {
      const char = this.#next();
      if (char === undefined) return undefined;
      const top = open.at(-1);
      if (wantsKey) {
        if (char === '}' && this.#last === '{') {
          open.pop();
          wantsKey = isValue = false;
          if (open.length === 0) return this.#end();
          continue;
        }
        if (char !== '"') return this.#bad(char, 'looking for beginning of object key string');
        const fault = this.#string();
        if (fault !== null) return fault;
        const colon = this.#next();
        if (colon === undefined) return undefined;
        if (colon !== ':') return this.#bad(colon, 'after object key');
        wantsKey = false;
        isValue = true;
        continue;
      }
      if (isValue) {
        if (char === ']' && top === '[' && this.#last === '[') open.pop();
        else if (char === '{' || char === '[') {
          open.push(char);
          this.#last = char;
          if (open.length > maxDepth) return this.#bad(char, 'exceeded max depth');
          wantsKey = char === '{';
          continue;
        } else {
          const fault = this.#scalar(char);
          if (fault !== null) return fault;
        }
        this.#last = '';
        isValue = false;
        if (open.length === 0) return this.#end();
        continue;
      }
      if (char === ',') {
        this.#last = '';
        isValue = true;
        wantsKey = top === '{';
      } else if (char === (top === '{' ? '}' : ']')) {
        open.pop();
        if (open.length === 0) return this.#end();
      } else return this.#bad(char, top === '{' ? 'after object key:value pair' : 'after array element');
    }
  }

  /** The bracket that was just opened: only directly after it may it be closed. */
  #last = '';

  #next(): string | undefined {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
    return this.#text[this.#at++];
  }

  #end(): string | undefined {
    const char = this.#next();
    return char === undefined ? undefined : this.#bad(char, 'after top-level value');
  }

  /** Null: nothing wrong. Undefined: the text ended. */
  #scalar(char: string): string | undefined | null {
    if (char === '"') return this.#string();
    if (char === '-' || digit.test(char)) return this.#number(char);
    const word = ['true', 'false', 'null'].find(one => one.startsWith(char));
    if (word === undefined) return this.#bad(char, 'looking for beginning of value');
    for (const wanted of word.slice(1)) {
      const found = this.#text[this.#at++];
      if (found === undefined) return undefined;
      if (found !== wanted) return this.#bad(found, `in literal ${word} (expecting ${quoted(wanted)})`);
    }
    return null;
  }

  #string(): string | undefined | null {
    for (;;) {
      const char = this.#text[this.#at++];
      if (char === undefined) return undefined;
      if (char === '"') return null;
      if (char < ' ') return this.#bad(char, 'in string literal');
      if (char !== '\\') continue;
      const escape = this.#text[this.#at++];
      if (escape === undefined) return undefined;
      if (escape === 'u') {
        for (let i = 0; i < 4; i++) {
          const one = this.#text[this.#at++];
          if (one === undefined) return undefined;
          if (!hex.test(one)) return this.#bad(one, 'in \\u hexadecimal character escape');
        }
      } else if (!'bfnrt\\/"'.includes(escape)) return this.#bad(escape, 'in string escape code');
    }
  }

  #number(first: string): string | undefined | null {
    let char: string | undefined = first;
    if (char === '-') {
      char = this.#text[this.#at++];
      if (char === undefined) return undefined;
      if (!digit.test(char)) return this.#bad(char, 'in numeric literal');
    }
    if (char !== '0') this.#digits();
    for (const [starts, where] of [
      ['.', 'after decimal point in numeric literal'] as const,
      ['eE', 'in exponent of numeric literal'] as const,
    ]) {
      const sign = this.#text[this.#at];
      if (sign === undefined || !starts.includes(sign)) continue;
      this.#at++;
      if (starts === 'eE' && '+-'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
      const one = this.#text[this.#at];
      if (one === undefined) return undefined;
      if (!digit.test(one)) return this.#bad(one, where);
      this.#digits();
    }
    return null;
  }

  #digits(): void {
    while (digit.test(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #bad(char: string, where: string): string {
    // Go looks at bytes: of a letter with several it names the first.
    const byte = Buffer.from(char.charCodeAt(0) >= 0xd800 ? this.#text.slice(this.#at - 1, this.#at + 1) : char)[0]!;
    return `invalid character ${quoted(String.fromCharCode(byte))} ${where}`;
  }
}

function quoted(char: string): string {
  if (char === "'") return `'\\''`;
  if (char === '"') return `'"'`;
  const code = char.charCodeAt(0);
  const shorts: Readonly<Record<string, string>> = {
    '\n': '\\n',
    '\t': '\\t',
    '\r': '\\r',
    '\\': '\\\\',
    '\b': '\\b',
    '\f': '\\f',
    '\v': '\\v',
    '\x07': '\\a',
  };
  if (shorts[char] !== undefined) return `'${shorts[char]}'`;
  if (code < 32 || code === 127) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  if (code >= 128 && code < 161) return `'\\u${code.toString(16).padStart(4, '0')}'`;
  return `'${char}'`;
}
