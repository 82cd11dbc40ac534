import type { Json, JsonObject } from '../../util/json.ts';
import { structByName } from '../facts/facts.ts';
import type { GoField, GoList, GoMap, GoStruct, GoType } from '../schema/go-type.ts';
import { scalarDecoders } from './decode-scalar.ts';
import { ProtobufError, wire, type WireReader } from '../../util/protobuf-wire.ts';

// Deeper than any honest object, and far from the end of the stack.
const maxDepth = 200;

interface Decoder {
  readonly wireType: number;
  /** `before` is what an earlier occurrence of the same field gave. */
  read(reader: WireReader, depth: number, before: Json | undefined): Json;
}

/** By field number: a field of the struct, or the numbers within an embedded message that JSON flattens. */
type Numbers = Map<number, { readonly name: string; readonly decoder: Decoder } | Numbers>;

const cache = new WeakMap<GoStruct, Numbers>();

/** Reads a message into JSON, table by table. Leaves zero values in: shapeObject knows which of them Go prints. */
export function decodeStruct(struct: GoStruct, reader: WireReader, depth = 0): JsonObject {
  let numbers = cache.get(struct);
  if (!numbers) cache.set(struct, (numbers = numbersOf(struct)));
  const out: JsonObject = {};
  readInto(out, numbers, reader, depth);
  return out;
}

function readInto(out: JsonObject, numbers: Numbers, reader: WireReader, depth: number): void {
  if (depth > maxDepth) throw new ProtobufError('proto: message is nested too deeply');
  while (!reader.isAtEnd) {
    const tag = reader.tag();
    const wireType = tag & 7;
    const entry = numbers.get(tag >>> 3);
    if (entry === undefined) {
      reader.skip(wireType);
    } else if (entry instanceof Map) {
      if (wireType !== wire.bytes) throw wrongWireType(wireType, 'embedded message');
      readInto(out, entry, reader.message(), depth + 1);
    } else {
      readField(out, entry.name, entry.decoder, reader, wireType, depth);
    }
  }
}

function readField(out: JsonObject, name: string, decoder: Decoder, reader: WireReader, wireType: number, depth: number): void {
  const before = Object.hasOwn(out, name) ? out[name] : undefined;
  if (wireType === decoder.wireType) {
    out[name] = decoder.read(reader, depth, before);
    return;
  }
  // Repeated numbers may come packed into one field.
  if (wireType !== wire.bytes || decoder.wireType === wire.bytes) throw wrongWireType(wireType, name);
  const packed = reader.message();
  let value = before;
  while (!packed.isAtEnd) value = decoder.read(packed, depth, value);
  if (value !== undefined) out[name] = value;
}

const wrongWireType = (wireType: number, field: string) => new ProtobufError(`proto: wrong wireType = ${wireType} for field ${field}`);

function numbersOf(struct: GoStruct): Numbers {
  const numbers: Numbers = new Map();
  for (const field of struct.fields) if (field.proto.length > 0) place(numbers, field);
  return numbers;
}

function place(numbers: Numbers, field: GoField): void {
  let level = numbers;
  for (const number of field.proto.slice(0, -1)) {
    const inner = level.get(number) ?? new Map();
    if (!(inner instanceof Map)) throw new Error(`field ${number} is both a field and an embedded message`);
    level.set(number, inner);
    level = inner;
  }
  level.set(field.proto.at(-1)!, { name: field.name, decoder: decoderOf(field.type) });
}

function decoderOf(type: GoType): Decoder {
  switch (type.type) {
    case 'struct':
      return { wireType: wire.bytes, read: (reader, depth) => decodeStruct(type, reader.message(), depth + 1) };
    case 'list':
      return listDecoder(type);
    case 'map':
      return mapDecoder(type);
    case 'scalar':
      return scalarDecoders[type.scalar] ?? schemaDecoder(type.scalar);
  }
}

function listDecoder(type: GoList): Decoder {
  const element = decoderOf(type.element);
  const append: Decoder = {
    wireType: element.wireType,
    read(reader, depth, before) {
      const list = Array.isArray(before) ? before : [];
      list.push(element.read(reader, depth, undefined));
      return list;
    },
  };
  if (!type.isMessage) return append;
  return {
    wireType: wire.bytes,
    read(reader, depth) {
      const out: JsonObject = {};
      readInto(out, new Map([[1, { name: 'items', decoder: append }]]), reader.message(), depth + 1);
      return out['items'] ?? [];
    },
  };
}

const text: Decoder = { wireType: wire.bytes, read: reader => reader.text() };

function mapDecoder(type: GoMap): Decoder {
  const value = decoderOf(type.element);
  const entry: Numbers = new Map([
    [1, { name: 'key', decoder: text }],
    [2, { name: 'value', decoder: value }],
  ]);
  return {
    wireType: wire.bytes,
    read(reader, depth, before) {
      const map = (before ?? {}) as JsonObject;
      const pair: JsonObject = {};
      readInto(pair, entry, reader.message(), depth + 1);
      const key = (pair['key'] as string | undefined) ?? '';
      Object.defineProperty(map, key, { value: pair['value'] ?? null, writable: true, enumerable: true, configurable: true });
      return map;
    },
  };
}

/** JSONSchemaProps beside a flag or a list: one message with a field for each. */
function schemaDecoder(scalar: string): Decoder {
  const schema: Decoder = {
    wireType: wire.bytes,
    read(reader, depth) {
      const struct = structByName('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')!;
      return decodeStruct(struct, reader.message(), depth + 1);
    },
  };
  const appendSchema: Decoder = {
    wireType: wire.bytes,
    read: (reader, depth, before) => [...((before as Json[] | undefined) ?? []), schema.read(reader, depth, undefined)],
  };
  const appendText: Decoder = {
    wireType: wire.bytes,
    read: (reader, _depth, before) => [...((before as Json[] | undefined) ?? []), reader.text()],
  };
  const allows: Decoder = { wireType: wire.varint, read: reader => reader.varint() !== 0 };
  const [one, two] =
    scalar === 'schemaOrBool' ? [allows, schema] : scalar === 'schemaOrStrings' ? [schema, appendText] : [schema, appendSchema];
  const numbers: Numbers = new Map([
    [1, { name: 'one', decoder: one }],
    [2, { name: 'two', decoder: two }],
  ]);
  return {
    wireType: wire.bytes,
    read(reader, depth) {
      const out: JsonObject = {};
      readInto(out, numbers, reader.message(), depth + 1);
      return out['two'] ?? out['one'] ?? (scalar === 'schemaOrBool' ? false : null);
    },
  };
}
