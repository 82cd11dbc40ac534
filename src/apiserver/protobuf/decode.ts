import { parseApiVersion } from '../../api/object.ts';
import type { JsonObject } from '../../util/json.ts';
import { structOfKind } from '../facts/facts.ts';
import { decodeStruct } from './decode-struct.ts';
import { envelopePrefix, ProtobufError, wire, WireReader } from '../../util/protobuf-wire.ts';

/** What a body in protobuf says: the kind from its envelope, and the object as JSON, still to be shaped. */
export interface DecodedProtobuf {
  readonly apiVersion: string;
  readonly kind: string;
  readonly body: JsonObject;
}

/**
 * Reads the envelope of `application/vnd.kubernetes.protobuf`. The expected kind is used where the envelope names none, as the server does.
 * Throws ProtobufError on anything that is not such a message, and for kinds that are not built in.
 */
export function decodeProtobuf(bytes: Uint8Array, expected?: { apiVersion: string; kind: string }): DecodedProtobuf {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length === 0) throw new ProtobufError('empty data');
  if (!buffer.subarray(0, envelopePrefix.length).equals(envelopePrefix))
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const envelope = readEnvelope(new WireReader(buffer, envelopePrefix.length));
  const apiVersion = envelope.apiVersion || (expected?.apiVersion ?? '');
  const kind = envelope.kind || (expected?.kind ?? '');
  if (kind === '') throw new ProtobufError("Object 'Kind' is missing in 'unstructured object has no kind'");
  const struct = structOfKind({ ...parseApiVersion(apiVersion), kind });
  const claimed = { apiVersion, kind };
  if (!struct) {
    const text = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
    throw new ProtobufError(text, claimed);
  }
  const body = envelope.raw ? decodeClaimed(claimed, () => decodeStruct(struct, envelope.raw!)) : {};
  return { apiVersion, kind, body: { kind, apiVersion, ...body } };
}

function decodeClaimed(claimed: { apiVersion: string; kind: string }, decode: () => JsonObject): JsonObject {
  try {
    return decode();
  } catch (error) {
    if (error instanceof ProtobufError) throw new ProtobufError(error.message, claimed);
    throw error;
  }
}

interface Envelope {
  apiVersion: string;
  kind: string;
  raw: WireReader | undefined;
}

function readEnvelope(reader: WireReader): Envelope {
  const envelope: Envelope = { apiVersion: '', kind: '', raw: undefined };
  while (!reader.isAtEnd) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | wire.bytes)) readTypeMeta(envelope, reader.message());
    else if (tag === ((2 << 3) | wire.bytes)) envelope.raw = reader.message();
    else reader.skip(tag & 7);
  }
  return envelope;
}

function readTypeMeta(envelope: Envelope, reader: WireReader): void {
  while (!reader.isAtEnd) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | wire.bytes)) envelope.apiVersion = reader.text();
    else if (tag === ((2 << 3) | wire.bytes)) envelope.kind = reader.text();
    else reader.skip(tag & 7);
  }
}
