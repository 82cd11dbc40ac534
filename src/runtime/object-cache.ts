import type { KubeObject } from '../api/object.ts';
import { keyOf, type Key } from './key.ts';

/** A change of the cache. `old` is absent for new objects; of deleted ones `object` is the last that was seen. */
export interface CacheChange<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
  readonly old: T | undefined;
}

/** Values under which objects are found: a label, an owner, a field. */
export type Index<T> = (obj: T) => Iterable<string>;

/** The objects of an informer, found by key or by index. */
export class ObjectCache<T extends KubeObject> {
  readonly #objects = new Map<Key, T>();
  readonly #indexes: ReadonlyMap<string, { readonly values: Index<T>; readonly keys: Map<string, Set<Key>> }>;
  readonly #listeners = new Set<(change: CacheChange<T>) => void>();

  constructor(indexes: Readonly<Record<string, Index<T>>> = {}) {
    this.#indexes = new Map(Object.entries(indexes).map(([name, values]) => [name, { values, keys: new Map() }]));
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: Key): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  by(index: string, value: string): T[] {
    const found = this.#indexes.get(index);
    if (!found) throw new Error(`there is no index "${index}"`);
    return [...(found.keys.get(value) ?? [])].map(key => this.#objects.get(key)!);
  }

  subscribe(listener: (change: CacheChange<T>) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  put(object: T): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old && isSameVersion(old, object)) return;
    this.#reindex(key, old, object);
    this.#objects.set(key, object);
    this.#tell({ type: old ? 'MODIFIED' : 'ADDED', object, old });
  }

  /** `last` is what the server says it was at the end. */
  remove(key: Key, last?: T): void {
    const old = this.#objects.get(key);
    if (!old) return;
    this.#reindex(key, old, undefined);
    this.#objects.delete(key);
    this.#tell({ type: 'DELETED', object: last ?? old, old });
  }

  /** Makes the cache hold exactly these. */
  replace(objects: readonly T[]): void {
    const present = new Set(objects.map(keyOf));
    for (const key of [...this.#objects.keys()]) if (!present.has(key)) this.remove(key);
    for (const object of objects) this.put(object);
  }

  #reindex(key: Key, old: T | undefined, object: T | undefined): void {
    for (const { values, keys } of this.#indexes.values()) {
      for (const value of old ? values(old) : []) {
        const held = keys.get(value);
        held?.delete(key);
        if (held?.size === 0) keys.delete(value);
      }
      for (const value of object ? values(object) : []) {
        let held = keys.get(value);
        if (!held) keys.set(value, (held = new Set()));
        held.add(key);
      }
    }
  }

  #tell(change: CacheChange<T>): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function isSameVersion(a: KubeObject, b: KubeObject): boolean {
  const { uid, resourceVersion } = a.metadata;
  return resourceVersion !== undefined && resourceVersion === b.metadata.resourceVersion && uid === b.metadata.uid;
}
