import { parseTime } from '../go/parse-time.ts';
import { int64, isMap, isSlice, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';
import { TomlScanner } from './toml-scanner.ts';

const maxDepth = 500;

/** Reads TOML 1.0: tables are maps, integers int64. Throws TomlError. */
export function readToml(text: string): GoMap {
  return new TomlReader(text).read();
}

class TomlReader {
  private readonly scanner: TomlScanner;
  private readonly root: GoMap = new Map();
  /** Tables that have had their header, and those written within braces: neither may be opened again. */
  private readonly closed = new Set<GoValue>();
  /** Lists that consist of `[[tables]]`, which may grow. */
  private readonly tableLists = new Set<GoValue>();
  private depth = 0;

  constructor(text: string) {
    this.scanner = new TomlScanner(text);
  }

  read(): GoMap {
    let table = this.root;
    for (;;) {
      this.scanner.skipLines();
      if (this.scanner.isAtEnd) return this.root;
      if (this.scanner.take('[[')) table = this.openListed(this.readHeader(']]'));
      else if (this.scanner.take('[')) table = this.open(this.readHeader(']'));
      else {
        this.readPair(table);
        this.scanner.endLine();
      }
    }
  }

  private readHeader(end: string): string[] {
    const path = this.readKey();
    this.scanner.expect(end);
    this.scanner.endLine();
    return path;
  }

  private open(path: readonly string[]): GoMap {
    const table = this.descend(this.root, path, true);
    if (this.closed.has(table)) throw this.scanner.fault(`Key '${path.join('.')}' has already been defined.`);
    this.closed.add(table);
    return table;
  }

  private openListed(path: readonly string[]): GoMap {
    const holder = this.descend(this.root, path.slice(0, -1), true);
    const name = path.at(-1)!;
    const present = holder.get(name);
    const list: GoSlice = isSlice(present) ? present : [];
    if (present !== undefined && !this.tableLists.has(present))
      throw this.scanner.fault(`Key '${path.join('.')}' has already been defined.`);
    this.tableLists.add(list);
    const table: GoMap = new Map();
    list.push(table);
    holder.set(name, list);
    return table;
  }

  /** The table at a path, made where it is not there. A list of tables stands for its last one. */
  private descend(from: GoMap, path: readonly string[], isHeader: boolean): GoMap {
    let at = from;
    for (const name of path) {
      let next = at.get(name);
      if (next === undefined) {
        next = new Map() as GoMap;
        at.set(name, next);
      } else if (isHeader && isSlice(next) && this.tableLists.has(next)) next = next.at(-1);
      if (!isMap(next) || (!isHeader && this.closed.has(next)))
        throw this.scanner.fault(`Key '${path.join('.')}' has already been defined.`);
      at = next;
    }
    return at;
  }

  private readKey(): string[] {
    const path: string[] = [];
    do {
      this.scanner.skipBlanks();
      path.push(this.scanner.readName());
      this.scanner.skipBlanks();
    } while (this.scanner.take('.'));
    return path;
  }

  private readPair(table: GoMap): void {
    const path = this.readKey();
    this.scanner.expect('=');
    this.scanner.skipBlanks();
    const holder = this.descend(table, path.slice(0, -1), false);
    const name = path.at(-1)!;
    if (holder.has(name)) throw this.scanner.fault(`Key '${path.join('.')}' has already been defined.`);
    holder.set(name, this.readValue());
  }

  private readValue(): GoValue {
    if (++this.depth > maxDepth) throw this.scanner.fault(`values are nested more than ${maxDepth} deep`);
    const value = this.scanner.take('[') ? this.readList() : this.scanner.take('{') ? this.readInline() : this.readScalar();
    this.depth--;
    return value;
  }

  private readList(): GoSlice {
    const list: GoSlice = [];
    for (;;) {
      this.scanner.skipLines();
      if (this.scanner.take(']')) return list;
      list.push(this.readValue());
      this.scanner.skipLines();
      if (this.scanner.take(',')) continue;
      this.scanner.expect(']');
      return list;
    }
  }

  private readInline(): GoMap {
    const table: GoMap = new Map();
    this.scanner.skipBlanks();
    if (!this.scanner.take('}')) {
      do {
        this.readPair(table);
        this.scanner.skipBlanks();
      } while (this.scanner.take(','));
      this.scanner.expect('}');
    }
    this.closed.add(table);
    return table;
  }

  private readScalar(): GoValue {
    const text = this.scanner.readText();
    if (text !== undefined) return text;
    const word = this.scanner.readWord();
    if (word === 'true' || word === 'false') return word === 'true';
    const value = numberOf(word) ?? timeOf(word);
    if (value === undefined)
      throw this.scanner.fault(word === '' ? 'expected value but found nothing' : `expected value but found ${JSON.stringify(word)}`);
    return value;
  }
}

function numberOf(word: string): GoValue {
  const plain = word.replaceAll(/(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g, '');
  if (/^[+-]?(?:0|[1-9][0-9]*)$/.test(plain) || /^0(?:x[0-9a-fA-F]+|o[0-7]+|b[01]+)$/.test(plain)) {
    const value = BigInt(plain.replace('+', ''));
    return BigInt.asIntN(64, value) === value ? int64(value) : undefined;
  }
  if (/^[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(plain)) return Number(plain);
  if (/^[+-]?inf$/.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?nan$/.test(plain) ? Number.NaN : undefined;
}

function timeOf(word: string): GoValue {
  const match = /^(\d{4}-\d\d-\d\d)?(?:[Tt ]?(\d\d:\d\d:\d\d(?:\.\d+)?))?([Zz]|[+-]\d\d:\d\d)?$/.exec(word);
  if (!match || word === '') return undefined;
  const [, date = '0000-01-01', time = '00:00:00', zone = 'Z'] = match;
  try {
    return parseTime('2006-01-02T15:04:05Z07:00', `${date}T${time}${zone.toUpperCase()}`, 'UTC');
  } catch {
    return undefined;
  }
}
