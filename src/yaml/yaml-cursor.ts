export interface Mark {
  /** From zero. */
  readonly line: number;
  readonly column: number;
  readonly at: number;
}

/** Where a fault is, and where what it is part of began. Lines are counted from zero, and differently in scanner and parser. */
interface FaultPlace {
  readonly problem: string;
  readonly place: Mark;
  readonly context: Mark;
  readonly isScanner: boolean;
}

/** A fault in YAML text, in the words of the library that the real server reads it with. */
export class YamlError extends Error {
  readonly fault: FaultPlace | undefined;

  constructor(message: string, fault?: FaultPlace) {
    super(message);
    this.fault = fault;
  }
}

/** The same fault as a newer release of the library words it, which names the line of the beginning. */
export function newerWords({ message, fault }: YamlError): string {
  if (!fault) return message;
  const { problem, place, context, isScanner } = fault;
  const line = context.line !== 0 ? context.line : place.line;
  return `yaml: ${line === 0 ? '' : `line ${line + (isScanner ? 1 : 0)}: `}${problem}`;
}

/** The library names lines from the second on, and counts them differently in its scanner and its parser. */
export function faultAt(problem: string, place: Mark, context: Mark, isScanner: boolean): YamlError {
  const line = place.line !== 0 ? place.line + (isScanner ? 1 : 0) : context.line;
  return new YamlError(`yaml: ${line === 0 ? '' : `line ${line}: `}${problem}`, { problem, place, context, isScanner });
}

const end = '\0';

/** A place in a text that moves forward only. */
export class YamlCursor {
  private readonly text: string;
  private at = 0;
  private line = 0;
  private column = 0;

  constructor(text: string) {
    this.text = text;
  }

  get mark(): Mark {
    return { line: this.line, column: this.column, at: this.at };
  }

  get col(): number {
    return this.column;
  }

  get row(): number {
    return this.line;
  }

  get position(): number {
    return this.at;
  }

  /** The character some places ahead; NUL beyond the end. */
  peek(offset = 0): string {
    return this.text[this.at + offset] ?? end;
  }

  skip(count = 1): void {
    this.at += count;
    this.column += count;
  }

  read(): string {
    const c = this.text[this.at++]!;
    this.column++;
    return c;
  }

  /** Reads as far as a sticky pattern matches. */
  readRun(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const run = pattern.exec(this.text)?.[0] ?? '';
    this.at += run.length;
    this.column += run.length;
    return run;
  }

  /** Reads a line break and answers what it means in a scalar. */
  readBreak(): string {
    const c = this.peek();
    this.at += c === '\r' && this.peek(1) === '\n' ? 2 : 1;
    this.line++;
    this.column = 0;
    return c === '\u2028' || c === '\u2029' ? c : '\n';
  }

  /** The end of the text stands on a line of its own. */
  finishLine(): void {
    if (this.column === 0) return;
    this.column = 0;
    this.line++;
  }

  isEnd(offset = 0): boolean {
    return this.peek(offset) === end;
  }

  isBlank(offset = 0): boolean {
    const c = this.peek(offset);
    return c === ' ' || c === '\t';
  }

  isBreak(offset = 0): boolean {
    const c = this.peek(offset);
    return c === '\n' || c === '\r' || c === '\u0085' || c === '\u2028' || c === '\u2029';
  }

  isBreakOrEnd(offset = 0): boolean {
    return this.isBreak(offset) || this.isEnd(offset);
  }

  isBlankOrEnd(offset = 0): boolean {
    return this.isBlank(offset) || this.isBreakOrEnd(offset);
  }

  isWord(): boolean {
    return /[0-9A-Za-z_-]/.test(this.peek());
  }

  /** `---` or `...` at the start of a line. */
  isDocumentIndicator(): boolean {
    if (this.column !== 0) return false;
    const c = this.peek();
    return (c === '-' || c === '.') && this.peek(1) === c && this.peek(2) === c && this.isBlankOrEnd(3);
  }

  skipComment(): void {
    if (this.peek() !== '#') return;
    while (!this.isBreakOrEnd()) this.skip();
  }

  skipBlanks(): void {
    while (this.isBlank()) this.skip();
  }
}
