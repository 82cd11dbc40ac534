import { faultAt, YamlCursor, type Mark, type YamlError } from './yaml-cursor.ts';
import { scanBlock, scanPlain, scanQuoted, type ScalarQuotes, type ScannedScalar } from './yaml-scalars.ts';
import { scanDirective, scanTag } from './yaml-tags.ts';

export type TokenKind =
  | 'stream-end'
  | 'version'
  | 'tag-directive'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | '['
  | ']'
  | '{'
  | '}'
  | ','
  | '-'
  | '?'
  | ':'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export interface Token {
  readonly kind: TokenKind;
  readonly start: Mark;
  readonly end: Mark;
  /** Of an alias, an anchor or a scalar; the handle of a tag. */
  readonly value?: string;
  /** Of a tag or a %TAG directive. */
  readonly suffix?: string;
  readonly isPlain?: boolean;
  readonly quotes?: ScalarQuotes | undefined;
  readonly version?: string;
}

/** A place that turns out to be a key when a colon follows. */
interface SimpleKey {
  isPossible: boolean;
  isRequired: boolean;
  token: number;
  mark: Mark;
}

const maxDepth = 10_000;
const maxKeyLength = 1024;
const cannotStartPlain = new Set(`-?:,[]{}#&*!|>'"%@\``);

/** Cuts YAML text into tokens; block structure becomes tokens too. */
export class YamlScanner {
  private readonly cursor: YamlCursor;
  private readonly tokens: Token[] = [];
  private head = 0;
  private taken = 0;
  private hasEnded = false;
  private indent = -1;
  private readonly indents: number[] = [];
  private flowLevel = 0;
  private isKeyAllowed = true;
  private readonly keys: SimpleKey[];
  private readonly keyByToken = new Map<number, SimpleKey>();

  constructor(text: string) {
    this.cursor = new YamlCursor(text);
    this.keys = [{ isPossible: false, isRequired: false, token: 0, mark: this.cursor.mark }];
  }

  /** The next token. It stays until it is taken. */
  peek(): Token {
    while (!this.hasEnded && (this.head === this.tokens.length || this.mayBecomeKey())) this.fetch();
    return this.tokens[this.head]!;
  }

  take(): Token {
    const token = this.peek();
    this.head++;
    this.taken++;
    // The queue is seldom long; it is cut when its front has grown.
    if (this.head > maxKeyLength) {
      this.tokens.splice(0, this.head);
      this.head = 0;
    }
    return token;
  }

  private mayBecomeKey(): boolean {
    const key = this.keyByToken.get(this.taken);
    return key !== undefined && this.isValid(key);
  }

  private fault(problem: string, context: Mark = this.cursor.mark): YamlError {
    return faultAt(problem, this.cursor.mark, context, true);
  }

  private fetch(): void {
    const { cursor } = this;
    this.skipToToken();
    this.unroll(cursor.col);
    if (cursor.isEnd()) return this.fetchEnd();
    const c = cursor.peek();
    if (cursor.col === 0 && c === '%') return this.fetchDirective();
    if (cursor.isDocumentIndicator()) return this.fetchDocumentIndicator(c === '-' ? 'document-start' : 'document-end');
    switch (c) {
      case '[':
      case '{':
        this.saveKey();
        this.enterFlow();
        this.isKeyAllowed = true;
        return this.push(c, 1);
      case ']':
      case '}':
        this.removeKey();
        this.leaveFlow();
        this.isKeyAllowed = false;
        return this.push(c, 1);
      case ',':
        this.removeKey();
        this.isKeyAllowed = true;
        return this.push(c, 1);
      case '*':
      case '&':
        return this.fetchAnchor(c === '*' ? 'alias' : 'anchor');
      case '!':
        this.saveKey();
        this.isKeyAllowed = false;
        this.tokens.push(scanTag(cursor));
        return;
      case "'":
      case '"':
        return this.fetchScalar(() => scanQuoted(cursor));
      case '|':
      case '>':
        if (this.flowLevel > 0) break;
        this.removeKey();
        this.isKeyAllowed = true;
        this.pushScalar(cursor.mark, scanBlock(cursor, { indent: this.indent, isInFlow: false }));
        return;
      case '-':
        if (cursor.isBlankOrEnd(1)) return this.fetchBlockEntry();
        break;
      case '?':
        if (this.flowLevel > 0 || cursor.isBlankOrEnd(1)) return this.fetchKey();
        break;
      case ':':
        if (this.flowLevel > 0 || cursor.isBlankOrEnd(1)) return this.fetchValue();
        break;
    }
    if (!this.canStartPlain(c)) throw this.fault('found character that cannot start any token');
    return this.fetchScalar(() => {
      const scalar = scanPlain(cursor, { indent: this.indent, isInFlow: this.flowLevel > 0 });
      if (scalar.endsLine) this.isKeyAllowed = true;
      return scalar;
    });
  }

  private canStartPlain(c: string): boolean {
    const { cursor } = this;
    if (!cursor.isBlankOrEnd() && !cannotStartPlain.has(c)) return true;
    if (c === '-') return !cursor.isBlank(1);
    return this.flowLevel === 0 && (c === '?' || c === ':') && !cursor.isBlankOrEnd(1);
  }

  private skipToToken(): void {
    const { cursor } = this;
    for (;;) {
      while (cursor.peek() === ' ' || ((this.flowLevel > 0 || !this.isKeyAllowed) && cursor.peek() === '\t')) cursor.skip();
      cursor.skipComment();
      if (!cursor.isBreak()) return;
      cursor.readBreak();
      if (this.flowLevel === 0) this.isKeyAllowed = true;
    }
  }

  private push(kind: TokenKind, width: number): void {
    const start = this.cursor.mark;
    this.cursor.skip(width);
    this.tokens.push({ kind, start, end: this.cursor.mark });
  }

  private pushScalar(start: Mark, { value, isPlain, quotes }: ScannedScalar): void {
    this.tokens.push({ kind: 'scalar', start, end: this.cursor.mark, value, isPlain, quotes });
  }

  private fetchScalar(scan: () => ScannedScalar): void {
    this.saveKey();
    this.isKeyAllowed = false;
    const start = this.cursor.mark;
    this.pushScalar(start, scan());
  }

  private fetchEnd(): void {
    this.cursor.finishLine();
    this.unroll(-1);
    this.removeKey();
    this.isKeyAllowed = false;
    this.push('stream-end', 0);
    this.hasEnded = true;
  }

  private fetchDirective(): void {
    this.unroll(-1);
    this.removeKey();
    this.isKeyAllowed = false;
    this.tokens.push(scanDirective(this.cursor));
  }

  private fetchDocumentIndicator(kind: TokenKind): void {
    this.unroll(-1);
    this.removeKey();
    this.isKeyAllowed = false;
    this.push(kind, 3);
  }

  private fetchAnchor(kind: 'alias' | 'anchor'): void {
    const { cursor } = this;
    this.saveKey();
    this.isKeyAllowed = false;
    const start = cursor.mark;
    cursor.skip();
    let value = '';
    while (cursor.isWord()) value += cursor.read();
    if (value === '' || !(cursor.isBlankOrEnd() || '?:,]}%@`'.includes(cursor.peek()))) {
      throw this.fault('did not find expected alphabetic or numeric character', start);
    }
    this.tokens.push({ kind, start, end: cursor.mark, value });
  }

  private fetchBlockEntry(): void {
    if (this.flowLevel === 0) {
      if (!this.isKeyAllowed) throw this.fault('block sequence entries are not allowed in this context');
      this.roll(this.cursor.col, undefined, 'block-sequence-start', this.cursor.mark);
    }
    this.removeKey();
    this.isKeyAllowed = true;
    this.push('-', 1);
  }

  private fetchKey(): void {
    if (this.flowLevel === 0) {
      if (!this.isKeyAllowed) throw this.fault('mapping keys are not allowed in this context');
      this.roll(this.cursor.col, undefined, 'block-mapping-start', this.cursor.mark);
    }
    this.removeKey();
    this.isKeyAllowed = this.flowLevel === 0;
    this.push('?', 1);
  }

  private fetchValue(): void {
    const key = this.keys.at(-1)!;
    if (this.isValid(key)) {
      this.tokens.splice(this.head + key.token - this.taken, 0, { kind: '?', start: key.mark, end: key.mark });
      this.roll(key.mark.column, key.token, 'block-mapping-start', key.mark);
      this.forget(key);
      this.isKeyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.isKeyAllowed) throw this.fault('mapping values are not allowed in this context');
        this.roll(this.cursor.col, undefined, 'block-mapping-start', this.cursor.mark);
      }
      this.isKeyAllowed = this.flowLevel === 0;
    }
    this.push(':', 1);
  }

  private isValid(key: SimpleKey): boolean {
    if (!key.isPossible) return false;
    if (key.mark.line >= this.cursor.row && key.mark.at + maxKeyLength >= this.cursor.position) return true;
    if (key.isRequired) throw this.fault("could not find expected ':'", key.mark);
    key.isPossible = false;
    return false;
  }

  private saveKey(): void {
    if (!this.isKeyAllowed) return;
    const { cursor } = this;
    const isRequired = this.flowLevel === 0 && this.indent === cursor.col;
    this.removeKey();
    const key = { isPossible: true, isRequired, token: this.taken + this.tokens.length - this.head, mark: cursor.mark };
    this.keys[this.keys.length - 1] = key;
    this.keyByToken.set(key.token, key);
  }

  private removeKey(): void {
    const key = this.keys.at(-1)!;
    if (!key.isPossible) return;
    if (key.isRequired) throw this.fault("could not find expected ':'", key.mark);
    this.forget(key);
  }

  private forget(key: SimpleKey): void {
    key.isPossible = false;
    this.keyByToken.delete(key.token);
  }

  private enterFlow(): void {
    const { mark } = this.cursor;
    this.keys.push({ isPossible: false, isRequired: false, token: this.taken + this.tokens.length - this.head, mark });
    if (++this.flowLevel > maxDepth) throw this.fault(`exceeded max depth of ${maxDepth}`, mark);
  }

  private leaveFlow(): void {
    if (this.flowLevel === 0) return;
    this.flowLevel--;
    this.keyByToken.delete(this.keys.pop()!.token);
  }

  private roll(column: number, token: number | undefined, kind: TokenKind, mark: Mark): void {
    if (this.flowLevel > 0 || this.indent >= column) return;
    this.indents.push(this.indent);
    this.indent = column;
    if (this.indents.length > maxDepth) throw this.fault(`exceeded max depth of ${maxDepth}`, this.keys.at(-1)!.mark);
    const start = { kind, start: mark, end: mark };
    if (token === undefined) this.tokens.push(start);
    else this.tokens.splice(this.head + token - this.taken, 0, start);
  }

  private unroll(column: number): void {
    if (this.flowLevel > 0) return;
    while (this.indent > column) {
      this.push('block-end', 0);
      this.indent = this.indents.pop()!;
    }
  }
}
