/** Text that grows while it keeps to columns and indents. */
export class YamlSink {
  /** Whether lists under a key move to the right. */
  readonly indentsLists: boolean;
  /** Lines are folded at the first space beyond this column. */
  readonly bestWidth: number;
  text = '';
  /** Where the next character goes. */
  column = 0;
  /** Nothing but indents and `-`, `?`, `:` stands on the line so far. */
  isIndention = true;
  /** The last character parts words. */
  private isWhitespace = true;
  private indent = -1;

  constructor({ isPretty = false }: { isPretty?: boolean } = {}) {
    this.indentsLists = isPretty;
    this.bestWidth = isPretty ? Infinity : 80;
  }

  /** Runs `write` one level further in. */
  indented({ isFlow = false, keepsColumn = false }: { isFlow?: boolean; keepsColumn?: boolean }, write: () => void): void {
    const outer = this.indent;
    if (outer < 0) this.indent = isFlow ? 2 : 0;
    else if (!keepsColumn) this.indent += 2;
    write();
    this.indent = outer;
  }

  put(char: string): void {
    this.text += char;
    this.column++;
  }

  break(char = '\n'): void {
    this.text += char;
    this.column = 0;
    this.isIndention = true;
  }

  /** Goes to the indent of the present level, on a new line unless the present one has nothing on it. */
  newLine(): void {
    const indent = Math.max(this.indent, 0);
    if (!this.isIndention || this.column > indent || (this.column === indent && !this.isWhitespace)) this.break();
    while (this.column < indent) this.put(' ');
    this.isWhitespace = true;
    this.isIndention = true;
  }

  indicator(text: string, needsWhitespace: boolean, { isIndention = false } = {}): void {
    if (needsWhitespace) this.part();
    for (const char of text) this.put(char);
    this.isWhitespace = false;
    this.isIndention = this.isIndention && isIndention;
  }

  /** Keeps the next word apart from the last. */
  part(): void {
    if (!this.isWhitespace) this.put(' ');
  }

  /** Begins the lines of a block: nothing has to be kept apart there. */
  beginBlock(): void {
    this.break();
    this.isWhitespace = true;
  }

  /** Ends a word: what follows must be kept apart from it. */
  endWord(): void {
    this.isWhitespace = false;
    this.isIndention = false;
  }
}
