import { printJson, type Json } from '../../util/json.ts';
import { parseGoDuration, parseInstant } from '../schema/go-time.ts';
import type { ScalarName } from '../schema/go-type.ts';
import type { BackwardWriter } from './backward-writer.ts';
import { wire } from '../../util/protobuf-wire.ts';

/** Writes a value as a field. */
export type FieldWriter = (out: BackwardWriter, number: number, value: Json) => void;

/** A field that holds bytes: text, or a message. */
export function lengthy(write: (out: BackwardWriter, value: Json) => void): FieldWriter {
  return (out, number, value) => {
    const before = out.length;
    write(out, value);
    out.wrap(number, before);
  };
}

const integer: FieldWriter = (out, number, value) => out.varintField(number, value as number | bigint);

/** All scalars but those that hold schemas. */
export const scalarWriters: Partial<Record<ScalarName, FieldWriter>> = {
  string: lengthy((out, value) => out.text(value as string)),
  bytes: lengthy((out, value) => out.bytes(Buffer.from(value as string, 'base64'))),
  bool: (out, number, value) => out.varintField(number, value === true ? 1 : 0),
  int32: integer,
  int64: integer,
  uint32: integer,
  uint64: integer,
  float32(out, number, value) {
    out.float(Number(value));
    out.tag(number, wire.fixed32);
  },
  float64(out, number, value) {
    out.double(Number(value));
    out.tag(number, wire.fixed64);
  },
  quantity: lengthy((out, value) => out.textField(1, String(value))),
  time: lengthy(instant),
  microtime: lengthy(instant),
  duration: lengthy((out, value) => out.varintField(1, parseGoDuration(value as string))),
  intOrString: lengthy(intOrString),
  raw: lengthy(raw),
  fieldsV1: lengthy(raw),
};

/** An empty message is the zero time. */
function instant(out: BackwardWriter, value: Json): void {
  if (value === null) return;
  const { seconds, nanos } = parseInstant(value as string);
  out.varintField(2, nanos);
  out.varintField(1, seconds);
}

function intOrString(out: BackwardWriter, value: Json): void {
  const isText = typeof value === 'string';
  out.textField(3, isText ? value : '');
  out.varintField(2, isText ? 0 : (value as number));
  out.varintField(1, isText ? 1 : 0);
}

/** Raw JSON travels as text within its message. */
function raw(out: BackwardWriter, value: Json): void {
  out.textField(1, printJson(value));
}
