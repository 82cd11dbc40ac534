import type { ByteReader } from './byte-reader.ts';

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const tileSize = 64;
/** A pixel as it travels: red, green, blue. */
const pixelBytes = 3;

/**
 * ZRLE of RFC 6143, 7.7.6: tiles of 64 × 64, each plain, of one colour, of a small palette, or of runs. `into` is RGBA, `rect` in size. The bytes are those
 * that were packed.
 */
export async function decodeZrle(
  reader: ByteReader,
  { width, height }: Pick<Rect, 'width' | 'height'>,
  into: Uint8ClampedArray,
): Promise<void> {
  for (let y = 0; y < height; y += tileSize) {
    for (let x = 0; x < width; x += tileSize) {
      const tile = { x, y, width: Math.min(tileSize, width - x), height: Math.min(tileSize, height - y) };
      await decodeTile(reader, tile, tileWriter(into, width, tile));
    }
  }
}

/** Sets so many pixels, in the order of reading, to what stands in `from` at a place. */
type SetPixels = (from: Uint8Array, at: number, count: number) => void;

function tileWriter(into: Uint8ClampedArray, stride: number, tile: Rect): SetPixels {
  const all = tile.width * tile.height;
  let done = 0;
  return (from, at, count) => {
    if (done + count > all) throw new Error('a tile of the picture has too many pixels');
    for (const end = done + count; done < end; done++) {
      const to = ((tile.y + Math.floor(done / tile.width)) * stride + tile.x + (done % tile.width)) * 4;
      into[to] = from[at]!;
      into[to + 1] = from[at + 1]!;
      into[to + 2] = from[at + 2]!;
      into[to + 3] = 255;
    }
  };
}

async function decodeTile(reader: ByteReader, tile: Rect, set: SetPixels): Promise<void> {
  const kind = await reader.byte();
  const all = tile.width * tile.height;
  if (kind === 0) return copyPixels(await reader.bytes(all * pixelBytes), all, set);
  if (kind === 1) return set(await reader.bytes(pixelBytes), 0, all);
  if (kind <= 16) return decodePacked(reader, await reader.bytes(kind * pixelBytes), tile, set);
  if (kind === 128) return decodeRuns(reader, all, set);
  if (kind >= 130) return decodePaletteRuns(reader, await reader.bytes((kind - 128) * pixelBytes), all, set);
  throw new Error(`a tile of the picture is of no known kind: ${kind}`);
}

function copyPixels(from: Uint8Array, count: number, set: SetPixels): void {
  for (let i = 0; i < count; i++) set(from, i * pixelBytes, 1);
}

async function decodePacked(reader: ByteReader, palette: Uint8Array, tile: Rect, set: SetPixels): Promise<void> {
  const colors = palette.length / pixelBytes;
  const bits = colors === 2 ? 1 : colors <= 4 ? 2 : 4;
  const rowBytes = Math.ceil((tile.width * bits) / 8);
  const packed = await reader.bytes(rowBytes * tile.height);
  for (let y = 0; y < tile.height; y++) {
    for (let x = 0; x < tile.width; x++) {
      const bit = x * bits;
      const index = (packed[y * rowBytes + (bit >> 3)]! >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
      set(palette, index * pixelBytes, 1);
    }
  }
}

async function decodeRuns(reader: ByteReader, all: number, set: SetPixels): Promise<void> {
  for (let done = 0; done < all;) {
    const color = await reader.bytes(pixelBytes);
    const length = await runLength(reader);
    set(color, 0, length);
    done += length;
  }
}

async function decodePaletteRuns(reader: ByteReader, palette: Uint8Array, all: number, set: SetPixels): Promise<void> {
  for (let done = 0; done < all;) {
    const at = reader.byteAtHand();
    const index = at === -1 ? await reader.byte() : at;
    const length = index < 128 ? 1 : await runLength(reader);
    set(palette, (index & 127) * pixelBytes, length);
    done += length;
  }
}

async function runLength(reader: ByteReader): Promise<number> {
  for (let length = 1; ;) {
    const at = reader.byteAtHand();
    const byte = at === -1 ? await reader.byte() : at;
    length += byte;
    if (byte !== 255) return length;
  }
}
