/** A queue with an index: pushing, shifting and looking at any place cost the same however long it is. */
export class Deque<T> {
  #items: T[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  at(i: number): T | undefined {
    return this.#items[this.#first + i];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined as T;
    if (this.#first > 1024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** The items from a place on, as an array of their own. */
  from(i: number): T[] {
    return this.#items.slice(this.#first + i);
  }
}
