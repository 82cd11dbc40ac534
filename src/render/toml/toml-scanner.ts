import { TomlError } from './write-toml.ts';

const quoteRune = (char: string): string => (char === '\n' ? "'\\n'" : char === "'" ? "'\\''" : `'${char}'`);

const escapes: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b', '"': '"', '\\': '\\' };

/** The words of a TOML text, one after the other. */
export class TomlScanner {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text.replaceAll('\r\n', '\n');
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  fault(message: string): TomlError {
    return new TomlError(`toml: line ${this.text.slice(0, this.at).split('\n').length}: ${message}`);
  }

  take(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  expect(word: string): void {
    if (this.take(word)) return;
    if (word !== '=') throw this.fault(`expected ${JSON.stringify(word)}${this.found}`);
    if (this.isAtEnd) throw this.fault("unexpected EOF; expected key separator '='");
    throw this.fault(`expected '.' or '=', but got ${quoteRune(this.text[this.at]!)} instead`);
  }

  skipBlanks(): void {
    this.match(/[ \t]*/y);
  }

  /** Blanks, ends of lines and comments. */
  skipLines(): void {
    this.match(/(?:[ \t\n]|#[^\n]*)*/y);
  }

  endLine(): void {
    this.match(/[ \t]*(?:#[^\n]*)?/y);
    if (!this.isAtEnd && !this.take('\n')) throw this.fault(`expected a new line${this.found}`);
  }

  readName(): string {
    const quoted = this.text.startsWith('"""', this.at) || this.text.startsWith("'''", this.at) ? undefined : this.readText();
    const name = quoted ?? this.match(/[A-Za-z0-9_-]+/y);
    if (quoted === undefined && name === '') throw this.fault(`expected a key${this.found}`);
    return name;
  }

  /** A number, a boolean or a time, which may have a blank in the middle. */
  readWord(): string {
    const time = this.match(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[\w.:+-]*/y);
    return time === '' ? this.match(/[\w.:+-]*/y) : time;
  }

  /** A text in quotes; undefined when there is none. */
  readText(): string | undefined {
    for (const quote of ['"""', "'''", '"', "'"]) {
      if (!this.take(quote)) continue;
      if (quote.length === 3) this.take('\n');
      return this.readUntil(quote);
    }
    return undefined;
  }

  private readUntil(quote: string): string {
    const isLong = quote.length === 3;
    let text = '';
    for (;;) {
      // Up to two quotes may stand right before those that end a long text.
      if (this.text.startsWith(quote, this.at) && !(isLong && this.text[this.at + 3] === quote[0])) {
        this.at += quote.length;
        return text;
      }
      const letter = this.text[this.at];
      if (letter === undefined || (letter === '\n' && !isLong)) throw this.fault(`expected the end of a text (${quote})`);
      this.at++;
      text += letter === '\\' && quote.startsWith('"') ? this.readEscape(isLong) : letter;
    }
  }

  private readEscape(isLong: boolean): string {
    if (isLong && this.match(/[ \t]*\n[ \t\n]*/y) !== '') return '';
    const code = this.match(/u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}/y);
    if (code !== '') {
      const point = Number.parseInt(code.slice(1), 16);
      if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) throw this.fault(`"\\${code}" is no character`);
      return String.fromCodePoint(point);
    }
    const letter = this.text[this.at++] ?? '';
    const meant = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (meant === undefined) throw this.fault(`invalid escape character '${letter}'`);
    return meant;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private get found(): string {
    return this.isAtEnd ? ' but the text ends' : ` but found ${JSON.stringify(this.text[this.at])}`;
  }
}
