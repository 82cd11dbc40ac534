import type { Json, JsonObject } from '../../util/json.ts';
import { structByName } from '../facts/facts.ts';
import type { GoField, GoList, GoMap, GoStruct, GoType } from '../schema/go-type.ts';
import { scalarEncoders } from './encode-scalar.ts';
import { wire } from './wire.ts';
import { writeBytes, written, type WireWriter } from './wire-writer.ts';

/** Writes a value as one or more fields of a number. */
type FieldWriter = (writer: WireWriter, number: number, value: Json) => void;

/** What a message holds, by ascending number: fields, and embedded messages that JSON flattens. */
type Parts = readonly { readonly number: number; readonly part: { readonly name: string; readonly write: FieldWriter } | Parts }[];

const cache = new WeakMap<GoStruct, Parts>();

/** The message of an object that is in shape: what is absent there is Go's zero here. */
export function encodeStruct(struct: GoStruct, value: JsonObject): Buffer {
  let parts = cache.get(struct);
  if (!parts) cache.set(struct, (parts = partsOf(struct.fields, 0)));
  return encodeParts(parts, value);
}

function encodeParts(parts: Parts, value: JsonObject): Buffer {
  return written(writer => {
    for (const { number, part } of parts) {
      if (!('name' in part)) {
        writeBytes(writer, number, encodeParts(part, value));
        continue;
      }
      const field = value[part.name];
      if (field !== undefined && field !== null) part.write(writer, number, field);
    }
  });
}

function partsOf(fields: readonly GoField[], depth: number): Parts {
  const byNumber = Map.groupBy(
    fields.filter(field => field.proto.length > depth),
    field => field.proto[depth]!,
  );
  return [...byNumber]
    .toSorted(([a], [b]) => a - b)
    .map(([number, same]) => {
      const [first] = same as [GoField];
      if (first.proto.length > depth + 1) return { number, part: partsOf(same, depth + 1) };
      return { number, part: { name: first.name, write: writerOf(first.type) } };
    });
}

function writerOf(type: GoType): FieldWriter {
  switch (type.type) {
    case 'struct':
      return (writer, number, value) => writeBytes(writer, number, encodeStruct(type, value as JsonObject));
    case 'list':
      return listWriter(type);
    case 'map':
      return mapWriter(type);
    case 'scalar': {
      const encoder = scalarEncoders[type.scalar];
      if (!encoder) return schemaWriter(type.scalar);
      return (writer, number, value) => {
        writer.tag(number, encoder.wireType);
        encoder.write(writer, value);
      };
    }
  }
}

function listWriter({ element, isMessage }: GoList): FieldWriter {
  const one = writerOf(element);
  const repeat: FieldWriter = (writer, number, value) => {
    for (const item of value as Json[]) one(writer, number, item);
  };
  if (!isMessage) return repeat;
  return (writer, number, value) =>
    writeBytes(
      writer,
      number,
      written(inner => repeat(inner, 1, value)),
    );
}

function mapWriter({ element }: GoMap): FieldWriter {
  const one = writerOf(element);
  return (writer, number, value) => {
    for (const key of Object.keys(value as JsonObject).toSorted(byBytes)) {
      const entry = written(inner => {
        writeBytes(inner, 1, Buffer.from(key));
        one(inner, 2, (value as JsonObject)[key]!);
      });
      writeBytes(writer, number, entry);
    }
  };
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** JSONSchemaProps beside a flag or a list: one message with a field for each. */
function schemaWriter(scalar: string): FieldWriter {
  const schema: FieldWriter = (writer, number, value) => {
    const struct = structByName('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')!;
    writeBytes(writer, number, encodeStruct(struct, value as JsonObject));
  };
  return (writer, number, value) => {
    const content = written(inner => {
      if (scalar === 'schemaOrBool') {
        inner.tag(1, wire.varint);
        inner.varint(value === false ? 0 : 1);
        if (typeof value === 'object') schema(inner, 2, value);
      } else if (!Array.isArray(value)) schema(inner, 1, value);
      else if (scalar === 'schemaOrStrings') for (const text of value) writeBytes(inner, 2, Buffer.from(text as string));
      else for (const one of value) schema(inner, 2, one);
    });
    writeBytes(writer, number, content);
  };
}
