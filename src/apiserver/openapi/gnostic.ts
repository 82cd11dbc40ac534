import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { extensionsOf, messages, oneOfs, type FieldType, type MessageName } from './gnostic-messages.ts';

/** Swagger v2 in the protobuf form (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`) that older clients insist on. */
export function encodeSwagger(document: JsonObject): Buffer {
  const out = new BackwardWriter();
  writeMessage(out, 'Document', document);
  return out.bytes();
}

/**
 * Writes from the end to the beginning, so that the length of what was written is known when it is to be said: megabytes of messages within messages would
 * be copied once for every level otherwise. Whoever writes several things begins with the last.
 */
class BackwardWriter {
  #buffer = Buffer.allocUnsafeSlow(1 << 20);
  #at = this.#buffer.length;

  get length(): number {
    return this.#buffer.length - this.#at;
  }

  bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#at));
  }

  text(text: string): void {
    const at = this.#take(Buffer.byteLength(text));
    this.#buffer.write(text, at);
  }

  double(value: number): void {
    const at = this.#take(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  varint(value: number): void {
    let size = 1;
    for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
    let at = this.#take(size);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest & 127) | 128;
    this.#buffer[at] = rest;
  }

  /** Makes a field of what was written since the writer had that length. */
  wrap(number: number, lengthBefore: number): void {
    this.varint(this.length - lengthBefore);
    this.varint((number << 3) | 2);
  }

  #take(size: number): number {
    if (size > this.#at) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.#buffer.length + size));
      this.#buffer.copy(larger, larger.length - this.length, this.#at);
      this.#at += larger.length - this.#buffer.length;
      this.#buffer = larger;
    }
    return (this.#at -= size);
  }
}

function writeMessage(out: BackwardWriter, name: MessageName, value: JsonObject): void {
  const fields = messages[name];
  const extension = extensionsOf[name];
  for (const key of Object.keys(value).reverse()) {
    const field = fields[key];
    if (field) writeField(out, field[0], field[1], value[key]!);
    else if (extension !== undefined && key.startsWith('x-')) {
      const before = out.length;
      writeNamed(out, key, () => writeAny(out, value[key]!));
      out.wrap(extension, before);
    }
  }
}

function writeField(out: BackwardWriter, number: number, type: FieldType, value: Json): void {
  if (typeof type === 'object' && 'list' in type) {
    for (const item of (value as Json[]).toReversed()) writeField(out, number, type.list, item);
    return;
  }
  const before = out.length;
  if (type === 'bool' || type === 'int') {
    out.varint(Number(value));
    out.varint(number << 3);
    return;
  }
  if (type === 'double') {
    out.double(Number(value));
    out.varint((number << 3) | 1);
    return;
  }
  writeContent(out, type, value);
  out.wrap(number, before);
}

function writeContent(out: BackwardWriter, type: Exclude<FieldType, { list: unknown }>, value: Json): void {
  if (typeof type === 'object') return writeTable(out, type.table, type.entry ?? 1, value as JsonObject);
  switch (type) {
    case 'string':
      return out.text(String(value));
    case 'any':
      return writeAny(out, value);
    case 'strings':
      return writeStrings(out, value);
    case 'schemas':
      for (const item of listOf(value)) writeOneSchema(out, item);
      return;
    case 'schemaOrBool':
      if (typeof value !== 'boolean') return writeOneSchema(out, value);
      out.varint(value ? 1 : 0);
      return out.varint(0x10);
    default:
      return writeValue(out, type as MessageName | keyof typeof oneOfs, value);
  }
}

function writeOneSchema(out: BackwardWriter, value: Json): void {
  const before = out.length;
  writeValue(out, 'Schema', value);
  out.wrap(1, before);
}

/** Messages that are one of several wrap the chosen one. */
function writeValue(out: BackwardWriter, type: MessageName | keyof typeof oneOfs, value: Json): void {
  if (type === 'SecurityRequirement') return writeTable(out, 'strings', 1, value as JsonObject);
  if (!isJsonObject(value)) throw new TypeError(`cannot encode ${JSON.stringify(value)} as ${type}`);
  if (!(type in oneOfs)) return writeMessage(out, type as MessageName, value);
  const before = out.length;
  writeMessage(out, chosenMessage(type as keyof typeof oneOfs, value), value);
  for (const number of oneOfs[type as keyof typeof oneOfs](value).toReversed()) out.wrap(number, before);
}

function chosenMessage(type: keyof typeof oneOfs, value: JsonObject): MessageName {
  if (type === 'schemaItem') return 'Schema';
  if (type === 'securityItem') return 'ApiKeySecurity';
  if (typeof value['$ref'] === 'string') return 'JsonReference';
  if (type === 'responseValue') return 'Response';
  if (value['in'] === 'body') return 'BodyParameter';
  return value['in'] === 'path' ? 'PathParameter' : 'QueryParameter';
}

/** Swagger's tables are lists of named values here. */
function writeTable(out: BackwardWriter, type: FieldType, entry: number, table: JsonObject): void {
  for (const key of Object.keys(table).reverse()) {
    const before = out.length;
    writeNamed(out, key, () => {
      if (type === 'strings') writeStrings(out, table[key]!);
      else writeValue(out, type as MessageName | keyof typeof oneOfs, table[key]!);
    });
    out.wrap(entry, before);
  }
}

function writeNamed(out: BackwardWriter, name: string, writeInner: () => void): void {
  const before = out.length;
  writeInner();
  out.wrap(2, before);
  writeText(out, 1, name);
}

/** Free values travel as YAML, of which JSON is a part. */
const writeAny = (out: BackwardWriter, value: Json) => writeText(out, 2, `${JSON.stringify(value)}\n`);

function writeStrings(out: BackwardWriter, value: Json): void {
  for (const item of listOf(value)) writeText(out, 1, String(item));
}

function writeText(out: BackwardWriter, number: number, text: string): void {
  const before = out.length;
  out.text(text);
  out.wrap(number, before);
}

/** The last first. */
const listOf = (value: Json): Json[] => (Array.isArray(value) ? value.toReversed() : [value]);
