import { isJsonObject, printJson, type Json, type JsonObject } from '../../util/json.ts';
import { BackwardWriter } from '../protobuf/backward-writer.ts';
import { wire } from '../../util/protobuf-wire.ts';
import { extensionsOf, messages, oneOfs, type FieldType, type MessageName } from './gnostic-messages.ts';

/** Swagger v2 in the protobuf form (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`) that older clients insist on. */
export function encodeSwagger(document: JsonObject): Buffer {
  const out = new BackwardWriter(expectedBytes);
  writeMessage(out, 'Document', document);
  return out.finish();
}

/** The document has megabytes. */
const expectedBytes = 1 << 20;

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
    out.varintField(number, Number(value));
    return;
  }
  if (type === 'double') {
    out.double(Number(value));
    out.tag(number, wire.fixed64);
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
      return out.varintField(2, value ? 1 : 0);
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
  out.textField(1, name);
}

/** Free values travel as YAML, of which JSON is a part. */
const writeAny = (out: BackwardWriter, value: Json) => out.textField(2, `${printJson(value)}\n`);

function writeStrings(out: BackwardWriter, value: Json): void {
  for (const item of listOf(value)) out.textField(1, String(item));
}

/** The last first. */
const listOf = (value: Json): Json[] => (Array.isArray(value) ? value.toReversed() : [value]);
