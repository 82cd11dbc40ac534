import { parseJson, type Json } from '../../util/json.ts';
import { printGoDuration, printMicroTime, printTime } from '../schema/go-time.ts';
import type { ScalarName } from '../schema/go-type.ts';
import { ProtobufError, wire, type WireReader } from '../../util/protobuf-wire.ts';

export interface ScalarDecoder {
  readonly wireType: number;
  read(reader: WireReader): Json;
}

const varint = (read: (r: WireReader) => Json): ScalarDecoder => ({ wireType: wire.varint, read });
const bytes = (read: (r: WireReader) => Json): ScalarDecoder => ({ wireType: wire.bytes, read });

/** All scalars but those that hold schemas. */
export const scalarDecoders: Partial<Record<ScalarName, ScalarDecoder>> = {
  string: bytes(r => r.text()),
  bytes: bytes(r => r.base64()),
  bool: varint(r => r.varint() !== 0),
  int32: varint(r => r.int32()),
  int64: varint(r => r.int64()),
  uint32: varint(r => r.varint()),
  uint64: varint(r => r.varint()),
  float32: { wireType: wire.fixed32, read: r => r.float() },
  float64: { wireType: wire.fixed64, read: r => r.double() },
  quantity: bytes(r => first(fieldsOf(r.message()), 1, '0')),
  time: bytes(r => instantOf(r.message(), printTime)),
  microtime: bytes(r => instantOf(r.message(), printMicroTime)),
  duration: bytes(r => printGoDuration(BigInt(first(fieldsOf(r.message()), 1, 0) as number | bigint))),
  intOrString: bytes(readIntOrString),
  raw: bytes(readRaw),
  fieldsV1: bytes(readRaw),
};

/** The fields of a message of which we only know that they are numbers and texts. */
function fieldsOf(reader: WireReader): Map<number, number | bigint | string> {
  const fields = new Map<number, number | bigint | string>();
  while (!reader.isAtEnd) {
    const tag = reader.tag();
    if ((tag & 7) === wire.varint) fields.set(tag >>> 3, reader.int64());
    else if ((tag & 7) === wire.bytes) fields.set(tag >>> 3, reader.text());
    else reader.skip(tag & 7);
  }
  return fields;
}

function first(fields: Map<number, number | bigint | string>, number: number, otherwise: number | string): number | bigint | string {
  const value = fields.get(number) ?? otherwise;
  if ((typeof value === 'string') !== (typeof otherwise === 'string')) throw new ProtobufError(`proto: wrong wireType for field ${number}`);
  return value;
}

/** An empty message is the zero time. */
function instantOf(reader: WireReader, print: (instant: { seconds: number; nanos: number }) => string | null): Json {
  if (reader.isAtEnd) return null;
  const fields = fieldsOf(reader);
  const seconds = Number(first(fields, 1, 0));
  const nanos = Number(first(fields, 2, 0));
  if (Math.abs(seconds) > 8.64e12 || nanos < 0 || nanos > 999_999_999) throw new ProtobufError('proto: time out of range');
  return print({ seconds, nanos });
}

function readIntOrString(reader: WireReader): Json {
  const fields = fieldsOf(reader.message());
  return first(fields, 1, 0) === 1 ? first(fields, 3, '') : Number(first(fields, 2, 0));
}

/** Raw JSON travels as text within its message. */
function readRaw(reader: WireReader): Json {
  const text = first(fieldsOf(reader.message()), 1, '') as string;
  if (text === '') return null;
  try {
    return parseJson(text);
  } catch {
    throw new ProtobufError('proto: raw field does not hold JSON');
  }
}
