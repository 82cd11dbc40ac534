import { wire } from '../../util/protobuf-wire.ts';

/**
 * Writes the wire format from the end to the beginning, so that the length of what was written is known when it is to be said: messages within messages
 * would be copied once for every level otherwise. Whoever writes several things begins with the last, and with the content of a field before its tag.
 */
export class BackwardWriter {
  #buffer: Buffer;
  #at: number;

  constructor(expectedBytes = 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(expectedBytes);
    this.#at = expectedBytes;
  }

  get length(): number {
    return this.#buffer.length - this.#at;
  }

  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#at));
  }

  text(text: string): void {
    const at = this.#take(Buffer.byteLength(text));
    this.#buffer.write(text, at);
  }

  bytes(content: Uint8Array): void {
    // The place first: taking it may replace the buffer.
    const at = this.#take(content.length);
    this.#buffer.set(content, at);
  }

  double(value: number): void {
    const at = this.#take(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  float(value: number): void {
    const at = this.#take(4);
    this.#buffer.writeFloatLE(value, at);
  }

  /** Negative numbers are the 64 bits of their two's complement. */
  varint(value: number | bigint): void {
    if (typeof value === 'bigint' || value < 0) return this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
    let size = 1;
    for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
    let at = this.#take(size);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest & 127) | 128;
    this.#buffer[at] = rest;
  }

  #bigVarint(value: bigint): void {
    const bytes: number[] = [];
    let rest = value;
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    this.bytes(Uint8Array.from(bytes));
  }

  tag(number: number, wireType: number): void {
    this.varint((number << 3) | wireType);
  }

  /** Makes a field of what was written since the writer had that length. */
  wrap(number: number, lengthBefore: number): void {
    this.varint(this.length - lengthBefore);
    this.tag(number, wire.bytes);
  }

  textField(number: number, text: string): void {
    const before = this.length;
    this.text(text);
    this.wrap(number, before);
  }

  varintField(number: number, value: number | bigint): void {
    this.varint(value);
    this.tag(number, wire.varint);
  }

  #take(size: number): number {
    if (size > this.#at) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.#buffer.length + size));
      this.#buffer.copy(larger, larger.length - this.length, this.#at);
      this.#at += larger.length - this.#buffer.length;
      this.#buffer = larger;
    }
    return (this.#at -= size);
  }
}
