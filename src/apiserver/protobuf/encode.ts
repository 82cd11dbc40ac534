import { parseApiVersion } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { JsonObject } from '../../util/json.ts';
import { structOfKind } from '../facts/facts.ts';
import { BackwardWriter } from './backward-writer.ts';
import { writeStruct } from './encode-struct.ts';
import { envelopePrefix } from '../../util/protobuf-wire.ts';

/** An object in the envelope of `application/vnd.kubernetes.protobuf`. Only kinds that are built in have such a form: for others it throws 406. */
export function encodeProtobuf(obj: object): Buffer {
  const out = new BackwardWriter();
  writeEnvelope(out, obj);
  return out.finish();
}

/** One event of a watch: its length, and a message with its type and its object. */
export function encodeWatchEvent(type: string, obj: object): Buffer {
  const out = new BackwardWriter();
  writeEnvelope(out, obj);
  out.wrap(1, 0);
  out.wrap(2, 0);
  out.textField(1, type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(out.length);
  out.bytes(length);
  return out.finish();
}

const sameShape: Readonly<Record<string, string>> = { 'meta.k8s.io/v1beta1': 'meta.k8s.io/v1' };

function writeEnvelope(out: BackwardWriter, obj: object): void {
  const { apiVersion = '', kind = '' } = obj as { apiVersion?: string; kind?: string };
  const struct = structOfKind({ ...parseApiVersion(sameShape[apiVersion] ?? apiVersion), kind });
  if (!struct) throw notInProtobuf();
  // Its encoding and its type, of which nothing is said.
  out.textField(4, '');
  out.textField(3, '');
  const contentBefore = out.length;
  writeStruct(out, struct, obj as JsonObject);
  out.wrap(2, contentBefore);
  const typeBefore = out.length;
  out.textField(2, kind);
  out.textField(1, apiVersion);
  out.wrap(1, typeBefore);
  out.bytes(envelopePrefix);
}

function notInProtobuf(): StatusError {
  const message =
    'object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message';
  return new StatusError(406, 'NotAcceptable', message);
}
