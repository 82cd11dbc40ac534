/** The variables that can be seen at a place of a template, each with the slot that holds it. */
export class Scope {
  readonly #names: Map<string, number>;
  readonly #counter: { slots: number };

  private constructor(names: Map<string, number>, counter: { slots: number }) {
    this.#names = names;
    this.#counter = counter;
  }

  static ofTemplate(): Scope {
    return new Scope(new Map([['$', 0]]), { slots: 1 });
  }

  /** A block inside: what it declares ends with it. */
  inner(): Scope {
    return new Scope(new Map(this.#names), this.#counter);
  }

  declare(name: string): number {
    const slot = this.#counter.slots++;
    this.#names.set(name, slot);
    return slot;
  }

  find(name: string): number | undefined {
    return this.#names.get(name);
  }

  get slots(): number {
    return this.#counter.slots;
  }
}
