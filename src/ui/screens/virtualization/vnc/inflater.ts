import { ByteReader } from './byte-reader.ts';

/** One zlib stream that goes on for as long as a connection does. */
export class Inflater {
  readonly reader = new ByteReader();
  readonly #writer: WritableStreamDefaultWriter<BufferSource>;

  constructor() {
    const { readable, writable } = new DecompressionStream('deflate');
    this.#writer = writable.getWriter();
    void this.#drain(readable.getReader());
  }

  /** What becomes of it is then read from `reader`. */
  write(packed: Uint8Array<ArrayBuffer>): void {
    this.#writer.write(packed).catch((error: unknown) => this.reader.end(error as Error));
  }

  close(reason: Error): void {
    this.reader.end(reason);
    this.#writer.abort(reason).catch(() => {});
  }

  async #drain(source: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await source.read();
        if (done) break;
        this.reader.push(value);
      }
      this.reader.end(new Error('the packed picture has ended'));
    } catch (error) {
      this.reader.end(error as Error);
    }
  }
}
