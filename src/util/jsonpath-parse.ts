/** One step of a kubectl JSONPath template. Literals and quoted text are steps too: they replace whatever came before. */
export type PathNode =
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'identifier'; name: string }
  | { kind: 'field'; name: string }
  | { kind: 'wildcard' }
  | { kind: 'recursive' }
  | { kind: 'slice'; start: number | undefined; end: number | undefined; isDerivedEnd: boolean; step: number | undefined }
  | { kind: 'union'; paths: PathNode[][] }
  | { kind: 'filter'; left: PathNode[]; operator: string; right: PathNode[] }
  | { kind: 'action'; nodes: PathNode[] };

const eof = '';
const terminators = new Set([eof, ' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}']);
const letterOrDigit = /[\p{L}\p{Nd}_]/u;
const dictionaryKey = /^'([^']*)'$/;
const sliceOperator = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+?)$/;

/** Parses a template such as `{range .items[*]}{.metadata.name}{"\n"}{end}`. Throws an Error in the words of kubectl. */
export function parseTemplate(template: string): PathNode[] {
  const nodes: PathNode[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    if (open < 0) {
      nodes.push({ kind: 'text', value: template.slice(at) });
      break;
    }
    if (open > at) nodes.push({ kind: 'text', value: template.slice(at, open) });
    const reader = new Reader(template, open + 1);
    nodes.push({ kind: 'action', nodes: readAction(reader) });
    at = reader.pos;
  }
  return nodes;
}

class Reader {
  readonly text: string;
  pos: number;
  constructor(text: string, pos: number) {
    this.text = text;
    this.pos = pos;
  }
  peek(): string {
    return this.text[this.pos] ?? eof;
  }
  next(): string {
    return this.text[this.pos++] ?? eof;
  }
  skip(prefix: string): boolean {
    if (!this.text.startsWith(prefix, this.pos)) return false;
    this.pos += prefix.length;
    return true;
  }
}

const parsePart = (text: string) => readAction(new Reader(`${text}}`, 0));

function readAction(reader: Reader): PathNode[] {
  const nodes: PathNode[] = [];
  while (!reader.skip('}')) nodes.push(...readNodes(reader, nodes));
  return nodes;
}

function readNodes(reader: Reader, before: PathNode[]): PathNode[] {
  if (reader.skip('[?(')) return [readFilter(reader)];
  if (reader.skip('..')) {
    if (before.at(-1)?.kind === 'recursive') throw new Error('invalid multiple recursive descent');
    return letterOrDigit.test(reader.peek()) ? [{ kind: 'recursive' }, readField(reader)] : [{ kind: 'recursive' }];
  }
  const char = reader.next();
  if (char === ' ' || char === '@' || char === '$') return [];
  if (char === eof || char === '\n' || char === '\r') throw new Error('unclosed action');
  if (char === '[') return readArray(reader);
  if (char === '"' || char === "'") return [{ kind: 'text', value: readQuoted(reader, char) }];
  if (char === '.') return [readField(reader)];
  reader.pos--;
  if (/[+\-\d]/.test(char)) return [readNumber(reader)];
  if (letterOrDigit.test(char)) return [readIdentifier(reader)];
  const code = char.codePointAt(0) ?? 0;
  throw new Error(`unrecognized character in action: U+${code.toString(16).toUpperCase().padStart(4, '0')} '${char}'`);
}

function readField(reader: Reader): PathNode {
  const start = reader.pos;
  while (!terminators.has(reader.peek())) if (reader.next() === '\\') reader.pos++;
  const name = reader.text.slice(start, reader.pos);
  return name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') };
}

function readNumber(reader: Reader): PathNode {
  const start = reader.pos++;
  while (/[.\d]/.test(reader.peek())) reader.pos++;
  const text = reader.text.slice(start, reader.pos);
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`cannot parse number ${text}`);
  return { kind: 'number', value };
}

function readIdentifier(reader: Reader): PathNode {
  const start = reader.pos;
  while (!terminators.has(reader.peek())) reader.pos++;
  const name = reader.text.slice(start, reader.pos);
  return name === 'true' || name === 'false' ? { kind: 'boolean', value: name === 'true' } : { kind: 'identifier', name };
}

function readQuoted(reader: Reader, quote: string): string {
  const start = reader.pos;
  for (;;) {
    const char = reader.next();
    if (char === eof || char === '\n') throw new Error('unterminated quoted string');
    if (char === quote && reader.text[reader.pos - 2] !== '\\') break;
  }
  return unescapeText(reader.text.slice(start, reader.pos - 1));
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v' };

function unescapeText(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/g, (_, escape: string) => {
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return escapes[escape] ?? escape;
  });
}

function readArray(reader: Reader): PathNode[] {
  const start = reader.pos;
  for (let char = reader.next(); char !== ']'; char = reader.next())
    if (char === eof || char === '\n') throw new Error('unterminated array');
  const inner = reader.text.slice(start, reader.pos - 1);
  const text = inner === '*' ? ':' : inner;
  const parts = text.split(',');
  if (parts.length > 1) return [{ kind: 'union', paths: parts.map(part => parsePart(`[${part.trim()}]`)) }];

  // kubectl reads ['a.b'] as .a.b; a dot in a key must be escaped even here.
  const key = dictionaryKey.exec(text);
  if (key) return parsePart(`.${key[1]}`);
  const slice = sliceOperator.exec(text);
  if (!slice) throw new Error(`invalid array index ${text}`);
  return [sliceOf(slice[1] ?? '', slice[2], slice[3])];
}

function sliceOf(first: string, second: string | undefined, third: string | undefined): PathNode {
  const numberAfterColon = (part: string | undefined) => (part === undefined || part === ':' ? undefined : Number(part.slice(1)));
  const start = first === '' ? undefined : Number(first);
  const isDerivedEnd = second === undefined || second === '';
  const end = isDerivedEnd ? (start ?? 0) + 1 : numberAfterColon(second);
  return { kind: 'slice', start, end, isDerivedEnd, step: numberAfterColon(third) };
}

function readFilter(reader: Reader): PathNode {
  const start = reader.pos;
  let quote = '';
  let isClosed = true;
  for (;;) {
    const char = reader.next();
    if (char === eof || char === '\n') throw new Error('unterminated filter');
    if (char === '"' || char === "'") {
      if (quote === '') [quote, isClosed] = [char, false];
      else if (char === quote && reader.text[reader.pos - 2] !== '\\') isClosed = true;
    } else if (char === ')' && isClosed) break;
  }
  const text = reader.text.slice(start, reader.pos - 1);
  if (reader.next() !== ']') throw new Error('unclosed array expect ]');
  const parts = comparison.exec(text);
  if (!parts) return { kind: 'filter', left: parsePart(text), operator: 'exists', right: [] };
  return { kind: 'filter', left: parsePart(parts[1] ?? ''), operator: parts[2] ?? '', right: parsePart(parts[3] ?? '') };
}
