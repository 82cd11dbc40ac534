import { printJson, type Json } from '../../util/json.ts';
import { parseGoDuration, parseInstant } from '../schema/go-time.ts';
import type { ScalarName } from '../schema/go-type.ts';
import { wire } from './wire.ts';
import { writeBytes, written, type WireWriter } from './wire-writer.ts';

export interface ScalarEncoder {
  readonly wireType: number;
  write(writer: WireWriter, value: Json): void;
}

const varint = (numberOf: (value: Json) => number | bigint): ScalarEncoder => ({
  wireType: wire.varint,
  write: (writer, value) => writer.varint(numberOf(value)),
});
const bytes = (contentOf: (value: Json) => Uint8Array): ScalarEncoder => ({
  wireType: wire.bytes,
  write: (writer, value) => writer.bytes(contentOf(value)),
});
const integer = varint(value => value as number | bigint);

/** All scalars but those that hold schemas. */
export const scalarEncoders: Partial<Record<ScalarName, ScalarEncoder>> = {
  string: bytes(value => Buffer.from(value as string)),
  bytes: bytes(value => Buffer.from(value as string, 'base64')),
  bool: varint(value => (value === true ? 1 : 0)),
  int32: integer,
  int64: integer,
  uint32: integer,
  uint64: integer,
  float32: { wireType: wire.fixed32, write: (writer, value) => writer.float(Number(value)) },
  float64: { wireType: wire.fixed64, write: (writer, value) => writer.double(Number(value)) },
  quantity: bytes(value => written(writer => writeBytes(writer, 1, Buffer.from(String(value))))),
  time: bytes(instant),
  microtime: bytes(instant),
  duration: bytes(value => written(writer => writeVarint(writer, 1, parseGoDuration(value as string)))),
  intOrString: bytes(intOrString),
  raw: bytes(raw),
  fieldsV1: bytes(raw),
};

/** An empty message is the zero time. */
function instant(value: Json): Buffer {
  if (value === null) return Buffer.alloc(0);
  const { seconds, nanos } = parseInstant(value as string);
  return written(writer => {
    writeVarint(writer, 1, seconds);
    writeVarint(writer, 2, nanos);
  });
}

function intOrString(value: Json): Buffer {
  const isText = typeof value === 'string';
  return written(writer => {
    writeVarint(writer, 1, isText ? 1 : 0);
    writeVarint(writer, 2, isText ? 0 : (value as number));
    writeBytes(writer, 3, Buffer.from(isText ? value : ''));
  });
}

/** Raw JSON travels as text within its message. */
function raw(value: Json): Buffer {
  return written(writer => writeBytes(writer, 1, Buffer.from(printJson(value))));
}

function writeVarint(writer: WireWriter, number: number, value: number | bigint): void {
  writer.tag(number, wire.varint);
  writer.varint(value);
}
