import { createHash } from 'node:crypto';
import { printJson, parseJson } from '../util/json.ts';
import { encodeObject, Entry, listKey, type BytesSource } from './entry.ts';
import type { Store } from './store.ts';

/** The time at which a base is made: wherever it stands in an object, a store shows its own time of birth. */
export const baseTime = new Date(0);

const timeText = '1970-01-01T00:00:00Z';
const uidLength = 36;

/** What makes the shared objects a store's own: ids are mixed with the seed, times are the time of birth. */
export interface Birth {
  /** 16 random bytes. */
  readonly seed: Uint8Array;
  /** In the form of Kubernetes, such as `2026-11-16T08:00:00Z`. */
  readonly bornAt: string;
}

interface BaseObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly bytes: Buffer;
  readonly uids: readonly { readonly at: number; readonly id: Uint8Array }[];
  readonly times: readonly number[];
}

type StoredObject = readonly [resource: string, namespace: string, name: string, text: string];

/**
 * The objects that many stores begin with, held once. The same objects give the same base, byte for byte, in every process: ids come from
 * names, revisions from the order of names.
 */
export class StoreBase {
  readonly digest: string;
  /** The last revision of the base: stores that begin with it count on from here. */
  readonly revision: number;
  readonly #objects = new Map<string, readonly BaseObject[]>();
  readonly #included = new Map<string, boolean>();
  readonly #text: string;

  private constructor(stored: readonly StoredObject[], text: string) {
    this.#text = text;
    this.digest = createHash('sha256').update(text).digest('hex');
    this.revision = stored.length;
    const uids = stored.map(([resource, namespace, name]) => uidOf(resource, namespace, name));
    for (const [i, [resource, namespace, name, json]] of stored.entries()) {
      const object = baseObject({ resource, namespace, name }, i + 1, Buffer.from(json), uids);
      this.#objects.set(resource, [...(this.#objects.get(resource) ?? []), object]);
    }
  }

  /** Takes over what a store holds that was filled at `baseTime`. */
  static fromStore(store: Store, isShared: (entry: Entry) => boolean): StoreBase {
    const entries: Entry[] = [];
    for (const resource of [...store.resources()].sort()) {
      store.forEach(resource, undefined, '', entry => {
        if (isShared(entry)) entries.push(entry);
      });
    }
    const ids = new Map(entries.map(({ resource, namespace, name, obj }) => [obj.metadata.uid ?? '', uidOf(resource, namespace, name)]));
    const stored = entries.map(({ resource, namespace, name, obj }, i): StoredObject => {
      const stamped = { ...obj, metadata: { ...obj.metadata, resourceVersion: String(i + 1) } };
      return [resource, namespace, name, withIds(encodeObject(stamped).toString(), ids)];
    });
    return new StoreBase(stored, printJson(stored as never));
  }

  static parse(text: string): StoreBase {
    return new StoreBase(parseJson(text) as unknown as StoredObject[], text);
  }

  /** What `parse` reads. */
  print(): string {
    return this.#text;
  }

  resources(): Iterable<string> {
    return this.#objects.keys();
  }

  count(resource: string): number {
    return this.#objects.get(resource)?.length ?? 0;
  }

  /** Whether a piece of text is in one of the objects. */
  includes(resource: string, text: string): boolean {
    const key = `${resource}\0${text}`;
    let found = this.#included.get(key);
    if (found === undefined) {
      found = this.#objects.get(resource)?.some(({ bytes }) => bytes.includes(text)) ?? false;
      this.#included.set(key, found);
    }
    return found;
  }

  /** The objects of a resource as a store with this birth has them, by list key, in order. */
  *entries(resource: string, birth: Birth): Generator<[string, Entry]> {
    for (const object of this.#objects.get(resource) ?? [])
      yield [listKey(object.namespace, object.name), new Entry(object, object.revision, new BornBytes(object, birth))];
  }
}

/** The bytes of a shared object for one store: made anew for everybody who looks, because few do and many stores exist. */
class BornBytes implements BytesSource {
  readonly #object: BaseObject;
  readonly #birth: Birth;

  constructor(object: BaseObject, birth: Birth) {
    this.#object = object;
    this.#birth = birth;
  }

  get length(): number {
    return this.#object.bytes.length;
  }

  includes(text: string): boolean {
    return this.#object.bytes.includes(text);
  }

  render(): Buffer {
    const { bytes, uids, times } = this.#object;
    const own = Buffer.from(bytes);
    for (const { at, id } of uids) own.write(printUid(id.map((byte, i) => byte ^ this.#birth.seed[i]!)), at, 'latin1');
    for (const at of times) own.write(this.#birth.bornAt, at, 'latin1');
    return own;
  }
}

function baseObject(
  key: { resource: string; namespace: string; name: string },
  revision: number,
  bytes: Buffer,
  ids: readonly Uint8Array[],
): BaseObject {
  const uids = ids.flatMap(id => positions(bytes, printUid(id)).map(at => ({ at, id })));
  return { ...key, revision, bytes, uids, times: positions(bytes, timeText) };
}

function positions(bytes: Buffer, text: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) found.push(at);
  return found;
}

function withIds(text: string, ids: ReadonlyMap<string, Uint8Array>): string {
  let result = text;
  for (const [uid, id] of ids) if (uid.length === uidLength) result = result.replaceAll(uid, printUid(id));
  return result;
}

function uidOf(resource: string, namespace: string, name: string): Uint8Array {
  return createHash('sha256').update(`${resource}\0${namespace}\0${name}`).digest().subarray(0, 16);
}

/** In the form of a random UUID. */
function printUid(id: Uint8Array): string {
  const bytes = Buffer.from(id);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
