import type { Json, JsonObject } from '../../util/json.ts';
import { structByName } from '../facts/facts.ts';
import type { GoField, GoList, GoMap, GoStruct, GoType } from '../schema/go-type.ts';
import type { BackwardWriter } from './backward-writer.ts';
import { lengthy, scalarWriters, type FieldWriter } from './encode-scalar.ts';

/** What a message holds, by descending number: fields, and embedded messages that JSON flattens. */
type Parts = readonly { readonly number: number; readonly part: { readonly name: string; readonly write: FieldWriter } | Parts }[];

const cache = new WeakMap<GoStruct, Parts>();

/** Writes the message of an object that is in shape: what is absent there is Go's zero here. */
export function writeStruct(out: BackwardWriter, struct: GoStruct, value: JsonObject): void {
  let parts = cache.get(struct);
  if (!parts) cache.set(struct, (parts = partsOf(struct.fields, 0)));
  writeParts(out, parts, value);
}

function writeParts(out: BackwardWriter, parts: Parts, value: JsonObject): void {
  for (const { number, part } of parts) {
    if (!('name' in part)) {
      const before = out.length;
      writeParts(out, part, value);
      out.wrap(number, before);
      continue;
    }
    const field = value[part.name];
    if (field !== undefined && field !== null) part.write(out, number, field);
  }
}

function partsOf(fields: readonly GoField[], depth: number): Parts {
  const byNumber = Map.groupBy(
    fields.filter(field => field.proto.length > depth),
    field => field.proto[depth]!,
  );
  return [...byNumber]
    .toSorted(([a], [b]) => b - a)
    .map(([number, same]) => {
      const [first] = same as [GoField];
      if (first.proto.length > depth + 1) return { number, part: partsOf(same, depth + 1) };
      return { number, part: { name: first.name, write: writerOf(first.type) } };
    });
}

function writerOf(type: GoType): FieldWriter {
  switch (type.type) {
    case 'struct':
      return lengthy((out, value) => writeStruct(out, type, value as JsonObject));
    case 'list':
      return listWriter(type);
    case 'map':
      return mapWriter(type);
    case 'scalar':
      return scalarWriters[type.scalar] ?? schemaWriter(type.scalar);
  }
}

function listWriter({ element, isMessage }: GoList): FieldWriter {
  const one = writerOf(element);
  const repeat: FieldWriter = (out, number, value) => {
    const items = value as Json[];
    for (let i = items.length - 1; i >= 0; i--) one(out, number, items[i]!);
  };
  return isMessage ? lengthy((out, value) => repeat(out, 1, value)) : repeat;
}

function mapWriter({ element }: GoMap): FieldWriter {
  const one = writerOf(element);
  return (out, number, value) => {
    const map = value as JsonObject;
    for (const key of Object.keys(map).toSorted((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)))) {
      const before = out.length;
      one(out, 2, map[key]!);
      out.textField(1, key);
      out.wrap(number, before);
    }
  };
}

/** JSONSchemaProps beside a flag or a list: one message with a field for each. */
function schemaWriter(scalar: string): FieldWriter {
  const schema = lengthy((out, value) => {
    const struct = structByName('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')!;
    writeStruct(out, struct, value as JsonObject);
  });
  return lengthy((out, value) => {
    if (scalar === 'schemaOrBool') {
      if (typeof value === 'object') schema(out, 2, value);
      out.varintField(1, value === false ? 0 : 1);
    } else if (!Array.isArray(value)) schema(out, 1, value);
    else if (scalar === 'schemaOrStrings') for (const text of value.toReversed()) out.textField(2, text as string);
    else for (const one of value.toReversed()) schema(out, 2, one);
  });
}
