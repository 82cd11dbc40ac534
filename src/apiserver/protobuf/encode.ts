import { parseApiVersion } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { JsonObject } from '../../util/json.ts';
import { structOfKind } from '../facts/facts.ts';
import { encodeStruct } from './encode-struct.ts';
import { envelopePrefix } from './wire.ts';
import { writeBytes, written } from './wire-writer.ts';

/** An object in the envelope of `application/vnd.kubernetes.protobuf`. Only kinds that are built in have such a form: for others it throws 406. */
export function encodeProtobuf(obj: object): Buffer {
  const { apiVersion = '', kind = '' } = obj as { apiVersion?: string; kind?: string };
  const struct = structOfKind({ ...parseApiVersion(sameShape[apiVersion] ?? apiVersion), kind });
  if (!struct) throw notInProtobuf();
  const content = encodeStruct(struct, obj as JsonObject);
  return written(writer => {
    writer.raw(envelopePrefix);
    const typeMeta = written(inner => {
      writeBytes(inner, 1, Buffer.from(apiVersion));
      writeBytes(inner, 2, Buffer.from(kind));
    });
    writeBytes(writer, 1, typeMeta);
    writeBytes(writer, 2, content);
    writeBytes(writer, 3, Buffer.alloc(0));
    writeBytes(writer, 4, Buffer.alloc(0));
  });
}

const sameShape: Readonly<Record<string, string>> = { 'meta.k8s.io/v1beta1': 'meta.k8s.io/v1' };

/** One event of a watch: its length, and a message with its type and its object. */
export function encodeWatchEvent(type: string, obj: object): Buffer {
  const event = written(writer => {
    writeBytes(writer, 1, Buffer.from(type));
    const object = written(inner => writeBytes(inner, 1, encodeProtobuf(obj)));
    writeBytes(writer, 2, object);
  });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

function notInProtobuf(): StatusError {
  const message =
    'object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message';
  return new StatusError(406, 'NotAcceptable', message);
}
