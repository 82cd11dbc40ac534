import { createDeflate, constants, type Deflate } from 'node:zlib';

const width = 320;
const height = 200;
const encodings = { raw: 0, copy: 1, zrle: 16, keys: -258 } as const;
type Color = readonly [red: number, green: number, blue: number];

/** What is on the screen at first, and what comes when somebody presses Enter. */
export const picture = {
  ground: [20, 40, 120] as Color,
  plain: { x: 8, y: 8, width: 16, height: 16, color: [255, 255, 255] as Color },
  copied: { x: 100, y: 100 },
  answer: { x: 200, y: 50, width: 100, height: 70, color: [10, 200, 60] as Color },
};

/**
 * The screen of a machine as QEMU shows it by VNC: version 3.8, no password, the encodings that the client names, and keys by their places. Written from RFC
 * 6143, for clients to be tried against.
 */
export class RfbServer {
  /** `key ff0d at 28 down`, `pointer 10,20 buttons 1`. */
  readonly heard: string[] = [];
  readonly #send: (bytes: Buffer) => void;
  readonly #packer: Deflate = createDeflate();
  #input = Buffer.alloc(0);
  #step: 'version' | 'security' | 'init' | 'messages' = 'version';
  #encodings: readonly number[] = [];
  #isPictureOwed = false;
  #answer: 'none' | 'owed' | 'shown' = 'none';

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send;
    send(Buffer.from('RFB 003.008\n'));
  }

  hear(bytes: Buffer): void {
    this.#input = Buffer.concat([this.#input, bytes]);
    while (this.#next());
  }

  /** Whether something whole was there to be read. */
  #next(): boolean {
    switch (this.#step) {
      case 'version': {
        const said = this.#take(12);
        if (!said) return false;
        if (said.toString() !== 'RFB 003.008\n') throw new Error(`the client speaks ${said.toString()}`);
        this.#step = 'security';
        this.#send(Buffer.from([1, 1]));
        return true;
      }
      case 'security':
        if (!this.#take(1)) return false;
        this.#step = 'init';
        this.#send(Buffer.alloc(4));
        return true;
      case 'init':
        if (!this.#take(1)) return false;
        this.#step = 'messages';
        this.#send(serverInit('machine'));
        return true;
      case 'messages':
        return this.#message();
    }
  }

  #message(): boolean {
    const lengths: Readonly<Record<number, number>> = { 0: 20, 3: 10, 4: 8, 5: 6, 255: 12 };
    const kind = this.#input[0];
    if (kind === undefined) return false;
    const length =
      kind === 2 ? (this.#input.length < 4 ? 4 : 4 + 4 * this.#input.readUInt16BE(2)) : kind === 6 ? this.#cutTextLength() : lengths[kind];
    if (length === undefined) throw new Error(`the client says ${kind}`);
    const said = this.#take(length);
    if (!said) return false;
    if (kind === 0) this.heard.push(`format ${said.subarray(4, 20).toString('hex')}`);
    if (kind === 2) this.#encodings = Array.from({ length: said.readUInt16BE(2) }, (_none, i) => said.readInt32BE(4 + 4 * i));
    if (kind === 3) void this.#wish(said[1] === 1);
    if (kind === 4) this.#key(said.readUInt32BE(4), undefined, said[1] === 1);
    if (kind === 5) this.heard.push(`pointer ${said.readUInt16BE(2)},${said.readUInt16BE(4)} buttons ${said[1]}`);
    if (kind === 6) this.#copied(said.subarray(8));
    if (kind === 255) this.#key(said.readUInt32BE(4), said.readUInt32BE(8), said.readUInt16BE(2) === 1);
    return true;
  }

  #cutTextLength(): number {
    return this.#input.length < 8 ? 8 : 8 + this.#input.readUInt32BE(4);
  }

  /** As machines with an agent do, it says what its clipboard holds. */
  #copied(text: Buffer): void {
    this.heard.push(`clipboard ${JSON.stringify(text.toString('latin1'))}`);
    this.#send(Buffer.concat([Buffer.from([3, 0, 0, 0]), numbers(4, text.length), text]));
  }

  #key(keysym: number, place: number | undefined, isDown: boolean): void {
    this.heard.push(`key ${keysym.toString(16)}${place === undefined ? '' : ` at ${place}`} ${isDown ? 'down' : 'up'}`);
    if (keysym !== 0xff0d || !isDown || this.#answer !== 'none') return;
    this.#answer = 'owed';
    void this.#giveAnswer();
  }

  async #wish(isOnlyChanges: boolean): Promise<void> {
    if (isOnlyChanges) {
      this.#isPictureOwed = true;
      return this.#giveAnswer();
    }
    const { plain, copied, ground } = picture;
    const rects = [
      await this.#zrle({ x: 0, y: 0, width, height }, () => Buffer.from([1, ...ground])),
      rect(plain, encodings.raw, Buffer.concat(Array<Buffer>(plain.width * plain.height).fill(Buffer.from([...plain.color, 0])))),
      rect({ ...plain, ...copied }, encodings.copy, numbers(2, plain.x, plain.y)),
      ...(this.#encodings.includes(encodings.keys) ? [rect({ x: 0, y: 0, width: 0, height: 0 }, encodings.keys, Buffer.alloc(0))] : []),
    ];
    this.#update(rects);
  }

  /** What changed is told to those who wait for changes, once. */
  async #giveAnswer(): Promise<void> {
    if (!this.#isPictureOwed || this.#answer !== 'owed') return;
    this.#isPictureOwed = false;
    this.#answer = 'shown';
    const { answer } = picture;
    // A palette of two, and runs of the second.
    const tile = (pixels: number) => Buffer.from([130, 0, 0, 0, ...answer.color, 128 + 1, ...runLength(pixels)]);
    this.#update([await this.#zrle(answer, tile)]);
  }

  #update(rects: readonly Buffer[]): void {
    this.#send(Buffer.concat([Buffer.from([0, 0]), numbers(2, rects.length), ...rects]));
  }

  /** One tile after the other, each as it is given for so many pixels, in the one stream that all rectangles share. */
  async #zrle(at: Rect, tile: (pixels: number) => Buffer): Promise<Buffer> {
    if (!this.#encodings.includes(encodings.zrle)) throw new Error('the client does not know ZRLE');
    const tiles: Buffer[] = [];
    for (let y = 0; y < at.height; y += 64)
      for (let x = 0; x < at.width; x += 64) tiles.push(tile(Math.min(64, at.width - x) * Math.min(64, at.height - y)));
    const packed = await pack(this.#packer, Buffer.concat(tiles));
    return rect(at, encodings.zrle, Buffer.concat([numbers(4, packed.length), packed]));
  }

  #take(count: number): Buffer | undefined {
    if (this.#input.length < count) return undefined;
    const taken = this.#input.subarray(0, count);
    this.#input = this.#input.subarray(count);
    return taken;
  }
}

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function numbers(size: 2 | 4, ...values: readonly number[]): Buffer {
  const made = Buffer.alloc(size * values.length);
  values.forEach((value, i) => (size === 2 ? made.writeUInt16BE(value, i * 2) : made.writeUInt32BE(value >>> 0, i * 4)));
  return made;
}

const rect = ({ x, y, width, height }: Rect, encoding: number, body: Buffer): Buffer =>
  Buffer.concat([numbers(2, x, y, width, height), numbers(4, encoding), body]);

function serverInit(name: string): Buffer {
  // 32 bits, blue first: what QEMU has before it is asked for another.
  const format = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]);
  return Buffer.concat([numbers(2, width, height), format, numbers(4, name.length), Buffer.from(name)]);
}

/** RFC 6143, 7.7.6: as many 255 as go into it, and the rest. */
function runLength(pixels: number): number[] {
  return [...Array<number>(Math.floor((pixels - 1) / 255)).fill(255), (pixels - 1) % 255];
}

/** What the stream has become by it, up to the last byte. */
export function pack(packer: Deflate, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const keep = (part: Buffer) => void parts.push(part);
    packer.once('error', reject).on('data', keep);
    packer.write(bytes);
    packer.flush(constants.Z_SYNC_FLUSH, () => {
      packer.off('data', keep).off('error', reject);
      resolve(Buffer.concat(parts));
    });
  });
}
