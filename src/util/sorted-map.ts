const maxChunk = 512;

interface Chunk<V> {
  keys: string[];
  values: V[];
}

/**
 * A map whose entries are walked in the order of their keys (UTF-16 code units). Inserting costs the size of one chunk,
 * not of the map, so it stays cheap with hundreds of thousands of entries.
 */
export class SortedMap<V> {
  #chunks: Chunk<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const chunk = this.#chunks[this.#chunkFor(key)];
    if (!chunk) return undefined;
    const i = lowerBound(chunk.keys, key);
    return chunk.keys[i] === key ? chunk.values[i] : undefined;
  }

  set(key: string, value: V): void {
    if (this.#chunks.length === 0) this.#chunks.push({ keys: [], values: [] });
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at]!;
    const i = lowerBound(chunk.keys, key);
    if (chunk.keys[i] === key) {
      chunk.values[i] = value;
      return;
    }
    chunk.keys.splice(i, 0, key);
    chunk.values.splice(i, 0, value);
    this.#size++;
    if (chunk.keys.length <= maxChunk) return;

    // Keys often arrive in order: leave a full left half behind instead of two halves.
    const middle = i === chunk.keys.length - 1 ? maxChunk : maxChunk >> 1;
    this.#chunks.splice(at + 1, 0, { keys: chunk.keys.splice(middle), values: chunk.values.splice(middle) });
  }

  delete(key: string): boolean {
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    if (!chunk) return false;
    const i = lowerBound(chunk.keys, key);
    if (chunk.keys[i] !== key) return false;
    chunk.keys.splice(i, 1);
    chunk.values.splice(i, 1);
    this.#size--;
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1);
    return true;
  }

  /** Entries whose key is at least `from` (all when absent), in order. The map must not change while it is walked. */
  *entriesFrom(from = ''): Generator<[string, V]> {
    let at = from === '' ? 0 : this.#chunkFor(from);
    let i = from === '' ? 0 : lowerBound(this.#chunks[at]?.keys ?? [], from);
    for (; at < this.#chunks.length; at++, i = 0) {
      const { keys, values } = this.#chunks[at]!;
      for (; i < keys.length; i++) yield [keys[i]!, values[i]!];
    }
  }

  /** Calls `visit` for each value in order from `from` on, until it returns false. Quicker than the generator. */
  forEachFrom(from: string, visit: (value: V, key: string) => boolean | void): void {
    let at = from === '' ? 0 : this.#chunkFor(from);
    let i = from === '' ? 0 : lowerBound(this.#chunks[at]?.keys ?? [], from);
    for (; at < this.#chunks.length; at++, i = 0) {
      const { keys, values } = this.#chunks[at]!;
      for (; i < keys.length; i++) if (visit(values[i]!, keys[i]!) === false) return;
    }
  }

  /** Index of the last chunk that may hold the key. */
  #chunkFor(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#chunks[middle]!.keys[0]! <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
