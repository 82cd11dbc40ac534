import { wire } from './wire.ts';

/** Writes the wire format. Messages whose length is not known beforehand are written by a writer of their own. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  tag(number: number, wireType: number): void {
    this.varint((number << 3) | wireType);
  }

  /** Signed numbers are written as the 64 bits of their two's complement. */
  varint(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value <= 0x7fffffff) return this.#short(value);
    let rest = BigInt.asUintN(64, BigInt(value));
    this.#reserve(10);
    while (rest >= 0x80n) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  #short(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  float(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeFloatLE(value, this.#length);
  }

  bytes(content: Uint8Array): void {
    this.varint(content.length);
    this.raw(content);
  }

  text(content: string): void {
    this.bytes(Buffer.from(content));
  }

  raw(content: Uint8Array): void {
    this.#reserve(content.length);
    this.#bytes.set(content, this.#length);
    this.#length += content.length;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.finish());
    this.#bytes = larger;
  }
}

/** The content of a message. */
export function written(write: (writer: WireWriter) => void): Buffer {
  const writer = new WireWriter();
  write(writer);
  return writer.finish();
}

/** A field that holds bytes: text, or another message. */
export function writeBytes(writer: WireWriter, number: number, content: Uint8Array): void {
  writer.tag(number, wire.bytes);
  writer.bytes(content);
}
