export class ProtobufError extends Error {
  /** The type the message claims, when it got that far. */
  readonly claimed: { readonly apiVersion: string; readonly kind: string } | undefined;

  constructor(message: string, claimed?: { readonly apiVersion: string; readonly kind: string }) {
    super(message);
    this.claimed = claimed;
  }
}

/** Wire types of protobuf. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** Messages of Kubernetes begin with it, whatever they hold. */
export const envelopePrefix = Buffer.from('k8s\0', 'latin1');

/** Reads the wire format from untrusted bytes: every read checks its bounds, so it ends or throws ProtobufError. */
export class WireReader {
  private readonly bytes: Buffer;
  private at: number;
  private readonly end: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  /** A tag: `number << 3 | wireType`. */
  tag(): number {
    const tag = this.varint();
    if (typeof tag !== 'number' || tag > 0xffffffff || tag >>> 3 === 0) throw new ProtobufError('proto: illegal tag');
    return tag;
  }

  /** Unsigned; a bigint when a double cannot hold it. */
  varint(): number | bigint {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 7; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    let big = BigInt(value);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      big |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        big = BigInt.asUintN(64, big);
        return big <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(big) : big;
      }
    }
    throw new ProtobufError('proto: integer overflow');
  }

  int64(): number | bigint {
    const value = this.varint();
    if (typeof value === 'number') return value;
    const signed = BigInt.asIntN(64, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  }

  int32(): number {
    const value = this.varint();
    return typeof value === 'number' && value < 0x80000000 ? value : Number(BigInt.asIntN(32, BigInt(value)));
  }

  double(): number {
    return this.bytes.readDoubleLE(this.take(8));
  }

  float(): number {
    return this.bytes.readFloatLE(this.take(4));
  }

  text(): string {
    const length = this.length();
    const start = this.take(length);
    return this.bytes.toString('utf8', start, start + length);
  }

  base64(): string {
    const length = this.length();
    const start = this.take(length);
    return this.bytes.toString('base64', start, start + length);
  }

  /** A reader of an embedded message. */
  message(): WireReader {
    const length = this.length();
    const start = this.take(length);
    return new WireReader(this.bytes, start, start + length);
  }

  skip(wireType: number): void {
    switch (wireType) {
      case wire.varint:
        this.varint();
        return;
      case wire.fixed64:
        this.take(8);
        return;
      case wire.bytes:
        this.take(this.length());
        return;
      case wire.fixed32:
        this.take(4);
        return;
      default:
        throw new ProtobufError(`proto: illegal wireType ${wireType}`);
    }
  }

  private length(): number {
    const length = this.varint();
    if (typeof length !== 'number') throw new ProtobufError('proto: negative length found during unmarshaling');
    return length;
  }

  private byte(): number {
    if (this.at >= this.end) throw new ProtobufError('unexpected EOF');
    return this.bytes[this.at++]!;
  }

  private take(length: number): number {
    const start = this.at;
    if (length > this.end - start) throw new ProtobufError('unexpected EOF');
    this.at = start + length;
    return start;
  }
}
