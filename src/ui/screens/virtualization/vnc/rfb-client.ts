import { ByteReader } from './byte-reader.ts';
import { decodeZrle, type Rect } from './decode-zrle.ts';
import { Inflater } from './inflater.ts';
import { keysymOf, scanCodeOf } from './key-codes.ts';

/** Where the picture goes. */
export interface Screen {
  resize(width: number, height: number): void;
  /** RGBA. */
  draw(rect: Rect, pixels: Uint8ClampedArray<ArrayBuffer>): void;
  copy(from: { readonly x: number; readonly y: number }, to: Rect): void;
  /** The arrow of the mouse as the machine has it. */
  pointer(image: Uint8ClampedArray<ArrayBuffer>, at: Rect): void;
  /** What somebody copied in the machine. */
  copied(text: string): void;
}

const version = 'RFB 003.008\n';
const noSecurity = 1;
const encodings = { raw: 0, copy: 1, zrle: 16, size: -223, pointer: -239, keys: -258 } as const;
const mostPixels = 16_384 * 16_384;
const mostCopied = 16 * 1024 * 1024;
const messages = { setPixelFormat: 0, setEncodings: 2, updateRequest: 3, key: 4, pointer: 5, cutText: 6, qemu: 255 } as const;

/** A client of RFC 6143 (VNC), as far as QEMU goes: no passwords; plain, copied and ZRLE rectangles; sizes, arrows and keys by place. */
export class RfbClient {
  readonly #reader = new ByteReader();
  readonly #inflater = new Inflater();
  readonly #send: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #screen: Screen;
  #size = { width: 0, height: 0 };
  #takesPlaces = false;

  constructor(send: (bytes: Uint8Array<ArrayBuffer>) => void, screen: Screen) {
    this.#send = send;
    this.#screen = screen;
  }

  /** Bytes from the machine. */
  hear(bytes: Uint8Array): void {
    this.#reader.push(bytes);
  }

  close(reason: Error): void {
    this.#reader.end(reason);
    this.#inflater.close(reason);
  }

  /** Answers the name of the machine once the picture is about to come. Throws what the machine says when it refuses. */
  async open(): Promise<string> {
    const offered = textOf(await this.#reader.bytes(version.length));
    const [, minor = ''] = /^RFB 003\.(\d{3})\n$/.exec(offered) ?? [];
    if (Number(minor) < 8) throw new Error(`it speaks ${JSON.stringify(offered.trim())}, not VNC 3.8`);
    this.#send(new TextEncoder().encode(version));
    const kinds = await this.#reader.bytes(await this.#reader.byte());
    if (kinds.length === 0) throw new Error(await this.#text());
    if (!kinds.includes(noSecurity)) throw new Error('it asks for a password, which KubeVirt never does');
    this.#send(Uint8Array.of(noSecurity));
    if ((await this.#reader.view(4)).getUint32(0) !== 0) throw new Error(await this.#text());
    // Others may look at the same machine.
    this.#send(Uint8Array.of(1));
    const init = await this.#reader.view(20);
    this.#resize(init.getUint16(0), init.getUint16(2));
    const name = await this.#text();
    this.#send(pixelFormat());
    this.#send(encodingList());
    this.#askForPicture(false);
    return name;
  }

  /** Draws what comes until the connection ends. */
  async run(): Promise<never> {
    for (;;) {
      const kind = await this.#reader.byte();
      if (kind === 0) await this.#update();
      else if (kind === 1) await this.#skipColors();
      else if (kind === 3) await this.#cutText();
      // 2 is a bell.
      else if (kind !== 2) throw new Error(`it says something that is not VNC: ${kind}`);
    }
  }

  pressKey(key: { readonly key: string; readonly code: string }, isDown: boolean): void {
    const keysym = keysymOf(key) ?? 0;
    const place = scanCodeOf(key.code);
    if (this.#takesPlaces && place !== undefined)
      return this.#send(message(12, [messages.qemu, 0], [2, isDown ? 1 : 0], [4, keysym, place]));
    if (keysym !== 0) this.#send(message(8, [messages.key, isDown ? 1 : 0], [2, 0], [4, keysym]));
  }

  movePointer(x: number, y: number, buttons: number): void {
    const within = (value: number, end: number) => Math.max(0, Math.min(end - 1, Math.round(value)));
    this.#send(message(6, [messages.pointer, buttons], [2, within(x, this.#size.width), within(y, this.#size.height)]));
  }

  /** Puts a text into the clipboard of the machine. VNC knows Latin-1 only. */
  copyText(text: string): void {
    const bytes = Uint8Array.from(text, character => character.charCodeAt(0) & 0xff);
    const head = message(8, [messages.cutText, 0, 0, 0], [4, bytes.length]);
    const said = new Uint8Array(head.length + bytes.length);
    said.set(head);
    said.set(bytes, head.length);
    this.#send(said);
  }

  async #update(): Promise<void> {
    const head = await this.#reader.view(3);
    for (let left = head.getUint16(1); left > 0; left--) await this.#rectangle();
    this.#askForPicture(true);
  }

  async #rectangle(): Promise<void> {
    const head = await this.#reader.view(12);
    const rect = { x: head.getUint16(0), y: head.getUint16(2), width: head.getUint16(4), height: head.getUint16(6) };
    const count = rect.width * rect.height;
    switch (head.getInt32(8)) {
      case encodings.raw:
        return this.#screen.draw(rect, opaque(await this.#reader.bytes(count * 4)));
      case encodings.copy: {
        const from = await this.#reader.view(4);
        return this.#screen.copy({ x: from.getUint16(0), y: from.getUint16(2) }, rect);
      }
      case encodings.zrle: {
        const packed = await this.#reader.bytes((await this.#reader.view(4)).getUint32(0));
        this.#inflater.write(packed.slice());
        const pixels = new Uint8ClampedArray(count * 4);
        await decodeZrle(this.#inflater.reader, rect, pixels);
        return this.#screen.draw(rect, pixels);
      }
      case encodings.size:
        return this.#resize(rect.width, rect.height);
      case encodings.pointer:
        return this.#screen.pointer(await this.#pointerImage(rect), rect);
      case encodings.keys:
        this.#takesPlaces = true;
        return undefined;
      default:
        throw new Error(`it draws in a way that nobody asked for: ${head.getInt32(8)}`);
    }
  }

  async #pointerImage({ width, height }: Rect): Promise<Uint8ClampedArray<ArrayBuffer>> {
    const pixels = opaque(await this.#reader.bytes(width * height * 4));
    const rowBytes = Math.ceil(width / 8);
    const mask = await this.#reader.bytes(rowBytes * height);
    for (let i = 0; i < width * height; i++) {
      const x = i % width;
      const isShown = (mask[Math.floor(i / width) * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1;
      pixels[i * 4 + 3] = isShown ? 255 : 0;
    }
    return pixels;
  }

  #resize(width: number, height: number): void {
    if (width * height === 0 || width * height > mostPixels) throw new Error(`its screen is ${width} × ${height}`);
    this.#size = { width, height };
    this.#screen.resize(width, height);
  }

  #askForPicture(isOnlyChanges: boolean): void {
    const { width, height } = this.#size;
    this.#send(message(10, [messages.updateRequest, isOnlyChanges ? 1 : 0], [2, 0, 0, width, height]));
  }

  async #skipColors(): Promise<void> {
    const head = await this.#reader.view(5);
    await this.#reader.bytes(head.getUint16(3) * 6);
  }

  async #cutText(): Promise<void> {
    await this.#reader.bytes(3);
    const length = (await this.#reader.view(4)).getUint32(0);
    if (length > mostCopied) throw new Error(`it says that it has copied ${length} bytes`);
    this.#screen.copied(Array.from(await this.#reader.bytes(length), byte => String.fromCharCode(byte)).join(''));
  }

  async #text(): Promise<string> {
    return textOf(await this.#reader.bytes((await this.#reader.view(4)).getUint32(0)));
  }
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.slice());

/** The fourth byte of a pixel means nothing to VNC and opacity to a canvas. */
function opaque(bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> {
  const pixels = Uint8ClampedArray.from(bytes);
  for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255;
  return pixels;
}

/** Bytes first, then numbers of as many bytes as each list begins with. */
function message(size: number, bytes: readonly number[], ...lists: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(size);
  const view = new DataView(made.buffer);
  made.set(bytes);
  let at = bytes.length;
  for (const [width, ...numbers] of lists) {
    for (const one of numbers) {
      if (width === 2) view.setUint16(at, one);
      else view.setUint32(at, one);
      at += width!;
    }
  }
  return made;
}

/** 32 bits, of which red, green and blue come first: as a canvas has them. */
function pixelFormat(): Uint8Array<ArrayBuffer> {
  const isLittle = 0;
  const isTrueColor = 1;
  return Uint8Array.of(messages.setPixelFormat, 0, 0, 0, 32, 24, isLittle, isTrueColor, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0);
}

function encodingList(): Uint8Array<ArrayBuffer> {
  const wanted = [encodings.copy, encodings.zrle, encodings.raw, encodings.size, encodings.pointer, encodings.keys];
  const { length } = wanted;
  return message(4 + length * 4, [messages.setEncodings, 0], [2, length], [4, ...wanted.map(one => one >>> 0)]);
}
