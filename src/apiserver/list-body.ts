import { apiVersionOf, type KubeObject } from '../api/object.ts';
import { typePrefixLength, type Entry } from '../store/entry.ts';
import { printJson } from '../util/json.ts';
import { isPlain, objectOf, withoutType, type ListMeta } from './representation.ts';
import type { Resource } from './resource.ts';

/** Large enough to make little of the cost of each piece, small enough to be under way while the next is made. */
const chunkBytes = 256 * 1024;
const comma = ','.charCodeAt(0);
const brace = '{'.charCodeAt(0);

/** The body of a list in pieces: the items are the stored bytes, joined and never parsed. */
export async function listBody(resource: Resource, entries: readonly Entry[], meta: ListMeta): Promise<Buffer[]> {
  const apiVersion = apiVersionOf(resource);
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${printJson(meta)},"items":[`;
  // The comma after the type becomes the brace that opens the item.
  const skip = typePrefixLength(resource.kind, apiVersion) - 1;
  let estimate = Buffer.byteLength(head) + 3;
  for (const entry of entries) estimate += entry.bytes.length;

  const pieces = new Pieces(estimate);
  pieces.add(Buffer.from(head), 0);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!;
    if (i > 0) pieces.addByte(comma);
    if (!isPlain(resource, entry)) pieces.add(Buffer.from(await printItem(resource, entry)), 0);
    else if (resource.isCustom) pieces.add(entry.bytes, 0);
    else pieces.add(entry.bytes, skip, brace);
  }
  pieces.add(Buffer.from(']}\n'), 0);
  return pieces.finish();
}

async function printItem(resource: Resource, entry: Entry): Promise<string> {
  const obj: KubeObject = await objectOf(resource, entry);
  return printJson(withoutType(resource, obj));
}

/** Gathers bytes in chunks, so that ten thousand items do not become ten thousand writes, nor one that holds everybody up. */
class Pieces {
  readonly #done: Buffer[] = [];
  #chunk: Buffer;
  #at = 0;
  #estimate: number;

  constructor(estimate: number) {
    this.#estimate = estimate;
    this.#chunk = Buffer.allocUnsafe(Math.min(chunkBytes, estimate));
  }

  /** Adds `bytes` from an offset on, with another first byte when given. */
  add(bytes: Buffer, from: number, first?: number): void {
    const length = bytes.length - from;
    this.#makeRoom(length);
    bytes.copy(this.#chunk, this.#at, from);
    if (first !== undefined) this.#chunk[this.#at] = first;
    this.#at += length;
  }

  addByte(byte: number): void {
    this.#makeRoom(1);
    this.#chunk[this.#at++] = byte;
  }

  finish(): Buffer[] {
    this.#done.push(this.#chunk.subarray(0, this.#at));
    return this.#done;
  }

  #makeRoom(length: number): void {
    if (this.#at + length <= this.#chunk.length) return;
    if (this.#at > 0) this.#done.push(this.#chunk.subarray(0, this.#at));
    this.#estimate -= this.#at;
    this.#chunk = Buffer.allocUnsafe(Math.max(length, Math.min(chunkBytes, this.#estimate)));
    this.#at = 0;
  }
}
