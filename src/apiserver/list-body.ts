import { apiVersionOf } from '../api/object.ts';
import { typePrefixLength, type Entry } from '../store/entry.ts';
import { printJson } from '../util/json.ts';
import { isPlain, objectOf, withoutType, type ListMeta } from './representation.ts';
import type { Resource } from './resource.ts';

const comma = ','.charCodeAt(0);
const brace = '{'.charCodeAt(0);
const tail = Buffer.from(']}\n');

/** The body of a list: its size is known at once, its bytes are copied together piece by piece. Items are the stored bytes, never parsed. */
export class ListBody {
  readonly size: number;
  readonly #parts: readonly Buffer[];
  /** Bytes to leave out of a part at its beginning; the last of them becomes the brace that opens the item. */
  readonly #skip: number;
  readonly #isSkipping: readonly boolean[] | undefined;
  #next = 0;
  /** How much of the next part has been copied. */
  #done = 0;

  constructor(parts: readonly Buffer[], skip: number, isSkipping?: readonly boolean[]) {
    this.#parts = parts;
    this.#skip = skip;
    this.#isSkipping = isSkipping;
    let size = Math.max(0, parts.length - 3);
    for (let i = 0; i < parts.length; i++) size += parts[i]!.length - this.#skipOf(i);
    this.size = size;
  }

  /** Fills a chunk with what comes next and returns how many bytes that were; 0 at the end. */
  fill(chunk: Buffer): number {
    const parts = this.#parts;
    let at = 0;
    while (this.#next < parts.length && at < chunk.length) {
      const i = this.#next;
      const part = parts[i]!;
      const skip = this.#skipOf(i);
      // Commas stand between items only: the first part is the head, the last the tail.
      const lead = i > 1 && i < parts.length - 1 ? 1 : 0;
      if (this.#done < lead) {
        chunk[at++] = comma;
        this.#done = 1;
        continue;
      }
      const from = skip + this.#done - lead;
      const copied = part.copy(chunk, at, from);
      if (skip > 0 && from === skip && copied > 0) chunk[at] = brace;
      at += copied;
      if (from + copied < part.length) {
        this.#done += copied;
        break;
      }
      this.#next++;
      this.#done = 0;
    }
    return at;
  }

  #skipOf(i: number): number {
    if (i === 0 || i === this.#parts.length - 1) return 0;
    return this.#isSkipping === undefined || this.#isSkipping[i - 1] ? this.#skip : 0;
  }
}

/** What a list of these entries looks like in the version of the resource. */
export async function listBody(resource: Resource, entries: readonly Entry[], meta: ListMeta): Promise<ListBody> {
  const apiVersion = apiVersionOf(resource);
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${printJson(meta)},"items":[`;
  const parts: Buffer[] = [Buffer.from(head)];
  const isStored: boolean[] = [];
  let areAllStored = true;
  for (const entry of entries) {
    const isAsStored = isPlain(resource, entry);
    areAllStored &&= isAsStored;
    isStored.push(isAsStored);
    parts.push(isAsStored ? entry.bytes : Buffer.from(printJson(withoutType(resource, await objectOf(resource, entry)))));
  }
  parts.push(tail);
  // Items of custom resources repeat their type.
  const skip = resource.isCustom ? 0 : typePrefixLength(resource.kind, apiVersion) - 1;
  return new ListBody(parts, skip, areAllStored ? undefined : isStored);
}
