/** Bytes that come when they come, read in the pieces that a protocol has. */
export class ByteReader {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  /** Of the first chunk, how much has been read. */
  #offset = 0;
  #ended: Error | undefined;
  #wake: (() => void) | undefined;

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    this.#wake?.();
  }

  /** What is there can still be read. */
  end(reason: Error): void {
    this.#ended ??= reason;
    this.#wake?.();
  }

  /** The next byte when it is there already, -1 otherwise. */
  byteAtHand(): number {
    return this.#size === 0 ? -1 : this.#take(1)[0]!;
  }

  async byte(): Promise<number> {
    const at = this.byteAtHand();
    return at === -1 ? (await this.bytes(1))[0]! : at;
  }

  async bytes(count: number): Promise<Uint8Array> {
    while (this.#size < count) {
      if (this.#ended) throw this.#ended;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    return this.#take(count);
  }

  async view(count: number): Promise<DataView> {
    const { buffer, byteOffset } = await this.bytes(count);
    return new DataView(buffer, byteOffset, count);
  }

  #take(count: number): Uint8Array {
    const first = this.#chunks[0] ?? new Uint8Array();
    this.#size -= count;
    if (first.length - this.#offset >= count) {
      const taken = first.subarray(this.#offset, this.#offset + count);
      this.#advance(count);
      return taken;
    }
    const taken = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const chunk = this.#chunks[0]!;
      const part = chunk.subarray(this.#offset, this.#offset + count - at);
      taken.set(part, at);
      at += part.length;
      this.#advance(part.length);
    }
    return taken;
  }

  #advance(count: number): void {
    this.#offset += count;
    if (this.#offset < (this.#chunks[0]?.length ?? 0)) return;
    this.#chunks.shift();
    this.#offset = 0;
  }
}
