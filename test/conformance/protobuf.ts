/** Just enough of the protobuf wire format to write requests by hand. */
export function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

export const stringField = (number: number, text: string): Buffer => bytesField(number, Buffer.from(text));

export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

export function stringMapEntry(number: number, key: string, value: string): Buffer {
  return bytesField(number, Buffer.concat([stringField(1, key), stringField(2, value)]));
}

/** The metadata field, which is the first of every object. */
export function objectMeta({
  name,
  namespace = '',
  generateName = '',
}: {
  name: string;
  namespace?: string;
  generateName?: string;
}): Buffer {
  return bytesField(1, Buffer.concat([stringField(1, name), stringField(2, generateName), stringField(3, namespace)]));
}

/** Kubernetes' envelope: magic bytes and an Unknown message. */
export function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const typeMeta = bytesField(1, Buffer.concat([stringField(1, apiVersion), stringField(2, kind)]));
  return Buffer.concat([Buffer.from('k8s\0'), typeMeta, bytesField(2, raw), stringField(3, ''), stringField(4, '')]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

/** The message with one length-delimited field replaced by an encoded one; other fields stay as they are. */
export function replaceField(message: Buffer, number: number, encoded: Buffer): Buffer {
  const kept: Buffer[] = [encoded];
  let at = 0;
  while (at < message.length) {
    const start = at;
    const tag = readVarint();
    const wire = tag & 7;
    if (wire === 0) readVarint();
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else {
      const length = readVarint();
      at += length;
    }
    if (tag >> 3 !== number) kept.push(message.subarray(start, at));
  }
  return Buffer.concat(kept);

  function readVarint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
}
