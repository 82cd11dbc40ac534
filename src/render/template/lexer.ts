import { goQuote } from '../../util/go-quote.ts';
import { keywords, type Token, type TokenType } from './token.ts';

const leftDelim = '{{';
const rightDelim = '}}';
const word = /[\p{L}\p{Nd}_]*/uy;

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\n' || char === '\t' || char === '\r';

/** Cuts the text of a template into tokens, one at a time, as Go's text/template does. Positions are in characters of JavaScript. */
export class Lexer {
  #input: string;
  #pos = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  /** Where the present line ends: the text before it holds no other end of a line. */
  #lineEnd: number;
  #parens = 0;
  #isInsideAction = false;

  constructor(input: string) {
    this.#input = input;
    this.#lineEnd = this.#findLineEnd(0);
  }

  next(): Token {
    return this.#isInsideAction ? this.#insideAction() : this.#text();
  }

  #take(type: TokenType): Token {
    const token = { type, pos: this.#start, value: this.#input.slice(this.#start, this.#pos), line: this.#startLine };
    this.#forget();
    return token;
  }

  /** Moves on to `pos` and counts the lines on the way. */
  #advance(pos: number): void {
    while (this.#lineEnd < pos) {
      this.#line++;
      this.#lineEnd = this.#findLineEnd(this.#lineEnd + 1);
    }
    this.#pos = pos;
  }

  #findLineEnd(from: number): number {
    const at = this.#input.indexOf('\n', from);
    return at < 0 ? Infinity : at;
  }

  /** Where the letters, digits and underscores end that begin here. */
  #wordEnd(): number {
    word.lastIndex = this.#pos;
    word.test(this.#input);
    return word.lastIndex;
  }

  #forget(): void {
    this.#start = this.#pos;
    this.#startLine = this.#line;
  }

  #error(message: string): Token {
    const token: Token = { type: 'error', pos: this.#start, value: message, line: this.#startLine };
    this.#input = '';
    this.#pos = this.#start = 0;
    return token;
  }

  #char(at = this.#pos): string {
    const code = this.#input.charCodeAt(at);
    if (code < 0xd800) return this.#input[at]!;
    // Beyond the end it is no number.
    return code >= 0xd800 ? String.fromCodePoint(this.#input.codePointAt(at)!) : '';
  }

  #step(): string {
    const char = this.#char();
    this.#advance(this.#pos + char.length);
    return char;
  }

  #text(): Token {
    for (;;) {
      const at = this.#input.indexOf(leftDelim, this.#pos);
      if (at < 0) {
        this.#advance(this.#input.length);
        return this.#take(this.#pos > this.#start ? 'text' : 'eof');
      }
      if (at > this.#pos) {
        const isTrimmed = this.#hasLeftTrim(at + leftDelim.length);
        let end = at;
        while (isTrimmed && end > this.#start && isSpace(this.#input[end - 1])) end--;
        this.#advance(end);
        const text = this.#take('text');
        this.#advance(at);
        this.#forget();
        if (text.value !== '') return text;
      }
      const afterMarker = this.#hasLeftTrim(this.#pos + leftDelim.length) ? 2 : 0;
      if (!this.#input.startsWith('/*', this.#pos + leftDelim.length + afterMarker)) return this.#leftDelim(afterMarker);
      const broken = this.#comment(this.#pos + leftDelim.length + afterMarker);
      if (broken) return broken;
    }
  }

  #leftDelim(afterMarker: number): Token {
    this.#advance(this.#pos + leftDelim.length);
    const token = this.#take('leftDelim');
    this.#isInsideAction = true;
    this.#advance(this.#pos + afterMarker);
    this.#forget();
    this.#parens = 0;
    return token;
  }

  #comment(from: number): Token | undefined {
    this.#advance(from);
    this.#forget();
    const end = this.#input.indexOf('*/', from + 2);
    if (end < 0) return this.#error('unclosed comment');
    this.#advance(end + 2);
    const close = this.#atRightDelim();
    if (close === 'none') return this.#error('comment ends before closing delimiter');
    this.#closeDelim(close === 'trimmed');
    return undefined;
  }

  #closeDelim(isTrimmed: boolean): void {
    let end = this.#pos + (isTrimmed ? 2 : 0) + rightDelim.length;
    while (isTrimmed && isSpace(this.#input[end])) end++;
    this.#advance(end);
    this.#forget();
  }

  #hasLeftTrim(at: number): boolean {
    return this.#input[at] === '-' && isSpace(this.#input[at + 1]);
  }

  #atRightDelim(at = this.#pos): 'none' | 'plain' | 'trimmed' {
    const char = this.#input[at];
    if (char === '}') return this.#input[at + 1] === '}' ? 'plain' : 'none';
    return isSpace(char) && this.#input[at + 1] === '-' && this.#input.startsWith(rightDelim, at + 2) ? 'trimmed' : 'none';
  }

  #rightDelim(isTrimmed: boolean): Token {
    if (isTrimmed) {
      this.#advance(this.#pos + 2);
      this.#forget();
    }
    this.#advance(this.#pos + rightDelim.length);
    const token = this.#take('rightDelim');
    let end = this.#pos;
    while (isTrimmed && isSpace(this.#input[end])) end++;
    this.#advance(end);
    this.#forget();
    this.#isInsideAction = false;
    return token;
  }

  #insideAction(): Token {
    const close = this.#atRightDelim();
    if (close !== 'none') return this.#parens === 0 ? this.#rightDelim(close === 'trimmed') : this.#error('unclosed left paren');
    const char = this.#char();
    if (char === '') return this.#error('unclosed action');
    if (isSpace(char)) return this.#space();
    if (char === '"') return this.#quoted('"', 'string', 'unterminated quoted string');
    if (char === "'") return this.#quoted("'", 'charConstant', 'unterminated character constant');
    if (char === '.') {
      const next = this.#input[this.#pos + 1];
      if (next !== undefined && (next < '0' || next > '9')) return this.#word('field');
      return this.#number();
    }
    if (char === '+' || char === '-' || (char >= '0' && char <= '9')) return this.#number();
    if (char === '$') return this.#word('variable');
    if (this.#wordEnd() > this.#pos) return this.#identifier();
    this.#step();
    return this.#symbol(char);
  }

  #symbol(char: string): Token {
    switch (char) {
      case '=':
        return this.#take('assign');
      case ':':
        if (this.#step() !== '=') return this.#error('expected :=');
        return this.#take('declare');
      case '|':
        return this.#take('pipe');
      case '`':
        return this.#rawString();
      case '(':
        this.#parens++;
        return this.#take('leftParen');
      case ')':
        this.#parens--;
        return this.#parens < 0 ? this.#error('unexpected right paren') : this.#take('rightParen');
    }
    if (char > ' ' && char < '\x7f') return this.#take('char');
    return this.#error(`unrecognized character in action: ${printRune(char)}`);
  }

  #space(): Token {
    let end = this.#pos;
    while (isSpace(this.#input[end])) end++;
    const isBeforeTrim = this.#atRightDelim(end - 1) === 'trimmed';
    if (isBeforeTrim && end - this.#pos === 1) return this.#rightDelim(true);
    this.#advance(isBeforeTrim ? end - 1 : end);
    return this.#take('space');
  }

  #identifier(): Token {
    this.#pos = this.#wordEnd();
    const text = this.#input.slice(this.#start, this.#pos);
    if (!this.#atTerminator()) return this.#error(`bad character ${printRune(this.#char())}`);
    if (keywords.has(text)) return this.#take(text as TokenType);
    return this.#take(text === 'true' || text === 'false' ? 'bool' : 'identifier');
  }

  #word(type: 'field' | 'variable'): Token {
    this.#step();
    if (this.#atTerminator()) return this.#take(type === 'variable' ? 'variable' : 'dot');
    this.#pos = this.#wordEnd();
    if (!this.#atTerminator()) return this.#error(`bad character ${printRune(this.#char())}`);
    return this.#take(type);
  }

  #atTerminator(): boolean {
    const char = this.#char();
    return char === '' || isSpace(char) || '.,|:)('.includes(char) || this.#input.startsWith(rightDelim, this.#pos);
  }

  #quoted(quote: string, type: TokenType, message: string): Token {
    for (let at = this.#pos + 1; at < this.#input.length; at++) {
      const char = this.#input[at]!;
      if (char === quote) {
        this.#pos = at + 1;
        return this.#take(type);
      }
      if (char === '\n' || (char === '\\' && this.#input[++at] === '\n')) break;
    }
    return this.#error(message);
  }

  #rawString(): Token {
    const end = this.#input.indexOf('`', this.#pos);
    if (end < 0) return this.#error('unterminated raw quoted string');
    this.#advance(end + 1);
    return this.#take('rawString');
  }

  #number(): Token {
    if (!this.#scanNumber()) return this.#error(`bad number syntax: ${goQuote(this.#input.slice(this.#start, this.#pos))}`);
    const sign = this.#char();
    if (sign !== '+' && sign !== '-') return this.#take('number');
    if (!this.#scanNumber() || this.#input[this.#pos - 1] !== 'i') {
      return this.#error(`bad number syntax: ${goQuote(this.#input.slice(this.#start, this.#pos))}`);
    }
    return this.#take('complex');
  }

  #scanNumber(): boolean {
    const match =
      /^[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/.exec(
        this.#input.slice(this.#pos),
      );
    this.#pos += match?.[0].length ?? 0;
    if (this.#wordEnd() === this.#pos) return true;
    this.#step();
    return false;
  }
}

/** A character as Go's `%#U` prints it: U+0021 '!'. */
function printRune(char: string): string {
  if (char === '') return 'U+FFFFFFFFFFFFFFFF';
  const code = char.codePointAt(0)!;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char) ? `${name} '${char}'` : name;
}
