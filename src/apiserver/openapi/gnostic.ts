import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { extensionsOf, messages, oneOfs, type FieldType, type MessageName } from './gnostic-messages.ts';

/** Swagger v2 in the protobuf form (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`) that older clients insist on. */
export function encodeSwagger(document: JsonObject): Buffer {
  return encodeMessage('Document', document);
}

function encodeMessage(name: MessageName, value: JsonObject): Buffer {
  const fields = messages[name];
  const extension = extensionsOf[name];
  const parts: Buffer[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const field = fields[key];
    if (field) writeField(parts, field[0], field[1], inner);
    else if (extension !== undefined && key.startsWith('x-')) parts.push(delimited(extension, named(key, encodeAny(inner))));
  }
  return Buffer.concat(parts);
}

function writeField(parts: Buffer[], number: number, type: FieldType, value: Json): void {
  if (typeof type === 'object' && 'list' in type) {
    for (const item of value as Json[]) writeField(parts, number, type.list, item);
    return;
  }
  if (typeof type === 'object') {
    parts.push(delimited(number, encodeTable(type.table, type.entry ?? 1, value as JsonObject)));
    return;
  }
  switch (type) {
    case 'string':
      parts.push(delimited(number, Buffer.from(String(value))));
      return;
    case 'bool':
    case 'int':
      parts.push(Buffer.concat([varint(number << 3), varint(Number(value))]));
      return;
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      parts.push(Buffer.concat([varint((number << 3) | 1), bytes]));
      return;
    }
    case 'any':
      parts.push(delimited(number, encodeAny(value)));
      return;
    case 'strings':
      parts.push(delimited(number, encodeStrings(value)));
      return;
    case 'schemas':
      parts.push(
        delimited(number, Buffer.concat((Array.isArray(value) ? value : [value]).map(item => delimited(1, encode('Schema', item))))),
      );
      return;
    case 'schemaOrBool':
      parts.push(
        delimited(number, typeof value === 'boolean' ? Buffer.from([0x10, value ? 1 : 0]) : delimited(1, encode('Schema', value))),
      );
      return;
    default:
      parts.push(delimited(number, encode(type, value)));
  }
}

/** Messages that are one of several wrap the chosen one. */
function encode(type: MessageName | keyof typeof oneOfs, value: Json): Buffer {
  if (type === 'SecurityRequirement') return encodeTable('strings', 1, value as JsonObject);
  if (!isJsonObject(value)) throw new TypeError(`cannot encode ${JSON.stringify(value)} as ${type}`);
  if (!(type in oneOfs)) return encodeMessage(type as MessageName, value);
  return oneOfs[type as keyof typeof oneOfs](value).reduceRight<Buffer>(
    (inner, number) => delimited(number, inner),
    encodeMessage(chosenMessage(type as keyof typeof oneOfs, value), value),
  );
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
function encodeTable(type: FieldType, entry: number, table: JsonObject): Buffer {
  return Buffer.concat(
    Object.entries(table).map(([key, value]) => {
      if (type === 'strings') return delimited(entry, named(key, encodeStrings(value)));
      return delimited(entry, named(key, encode(type as MessageName | keyof typeof oneOfs, value)));
    }),
  );
}

const named = (name: string, value: Buffer) => Buffer.concat([delimited(1, Buffer.from(name)), delimited(2, value)]);

/** Free values travel as YAML, of which JSON is a part. */
const encodeAny = (value: Json) => delimited(2, Buffer.from(`${JSON.stringify(value)}\n`));

const encodeStrings = (value: Json) =>
  Buffer.concat((Array.isArray(value) ? value : [value]).map(item => delimited(1, Buffer.from(String(item)))));

function delimited(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  bytes.push(value);
  return Buffer.from(bytes);
}
