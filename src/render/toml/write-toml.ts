import { compareText } from '../go/go-bytes.ts';
import { formatFloat } from '../../util/go-float.ts';
import { GoDuration } from '../go/go-duration.ts';
import { GoInt, GoObject, isMap, isSlice, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';

/** A value that TOML has no words for. */
export class TomlError extends Error {
  override name = 'TomlError';
}

/** Writes a value as TOML, byte for byte as Helm's `toToml` does. Throws TomlError. */
export function writeToml(value: GoValue): string {
  const writer = new TomlWriter();
  writer.write([], value);
  return writer.text;
}

class TomlWriter {
  text = '';

  write(key: readonly string[], value: GoValue): void {
    if (value === null || value === undefined) return;
    if (isMap(value)) {
      if (value.isNil) return;
      if (key.length === 1) this.newLine();
      if (key.length > 0) {
        this.text += `${indentOf(key)}[${key.map(keyText).join('.')}]`;
        this.newLine();
      }
      return this.writeEntries(key, value);
    }
    if (isSlice(value) && isListOfTables(value)) return this.writeTables(key, value);
    if (key.length === 0) {
      this.text += inline(value);
      return;
    }
    this.text += `${indentOf(key)}${keyText(key.at(-1)!)} = ${inline(value)}`;
    this.newLine();
  }

  private writeTables(key: readonly string[], tables: GoSlice): void {
    if (key.length === 0) throw new TomlError('toml: top-level values must be Go maps or structs');
    for (const table of tables) {
      this.newLine();
      this.text += `${indentOf(key)}[[${key.map(keyText).join('.')}]]`;
      this.newLine();
      this.writeEntries(key, table as GoMap);
    }
  }

  private writeEntries(key: readonly string[], map: GoMap): void {
    for (const [name, value] of inOrder(map)) this.write([...key, name], value);
  }

  private newLine(): void {
    if (this.text !== '') this.text += '\n';
  }
}

/** Entries in the order of their keys, tables after all else, so that none of the others falls into a table. */
function inOrder(map: GoMap): [string, GoValue][] {
  const sorted = [...map].sort(([a], [b]) => compareText(a, b));
  const isTable = (value: GoValue): boolean => isMap(value) || (isSlice(value) && isListOfTables(value));
  return [...sorted.filter(([, value]) => !isTable(value)), ...sorted.filter(([, value]) => isTable(value))];
}

function isListOfTables(list: GoSlice): boolean {
  let areTables = list.length > 0;
  for (const item of list) {
    if (item === null || item === undefined) throw new TomlError('toml: cannot encode array with nil element');
    if (isSlice(item)) isListOfTables(item);
    if (!isMap(item)) areTables = false;
  }
  return areTables;
}

function inline(value: GoValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return floatText(value);
  if (value instanceof GoDuration) return quote(value.print());
  if (value instanceof GoInt) return String(value.value);
  if (isSlice(value)) return `[${value.map(inline).join(', ')}]`;
  if (isMap(value)) return inlineTable(value);
  if (value instanceof GoObject) return quote(value.print());
  throw new TomlError('unsupported type: func');
}

/** A value that is nil is left out, and the comma after it too, but not the one before it. */
function inlineTable(map: GoMap): string {
  const entries = inOrder(map);
  const texts = entries.map(([name, value], i) => {
    if (value === null || value === undefined) return '';
    return `${keyText(name)} = ${inline(value)}${i < entries.length - 1 ? ', ' : ''}`;
  });
  return `{${texts.join('')}}`;
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const text = formatFloat(value, 'g', -1);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const indentOf = (key: readonly string[]): string => '  '.repeat(key.length - 1);
const keyText = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : quote(name));
const shortEscapes: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  '\\': String.raw`\\`,
  '\b': String.raw`\b`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\f': String.raw`\f`,
  '\r': String.raw`\r`,
};

function quote(text: string): string {
  const escaped = text.replaceAll(/["\\\u0000-\u001f\u007f]/g, letter => {
    return shortEscapes[letter] ?? String.raw`\u${letter.codePointAt(0)!.toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}
