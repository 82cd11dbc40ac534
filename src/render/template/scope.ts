import type { GoFunction } from '../go/go-value.ts';

/** Functions that are the same wherever a template runs; others are looked for when they are called. */
export type FixedFunctions = (name: string) => GoFunction | undefined;

/** The variables that can be seen at a place of a template, each with the slot that holds it. */
export class Scope {
  readonly #names: Map<string, number>;
  readonly #counter: { slots: number };

  readonly fixedFunction: FixedFunctions;

  private constructor(names: Map<string, number>, counter: { slots: number }, fixed: FixedFunctions) {
    this.#names = names;
    this.#counter = counter;
    this.fixedFunction = fixed;
  }

  static ofTemplate(fixed: FixedFunctions): Scope {
    return new Scope(new Map([['$', 0]]), { slots: 1 }, fixed);
  }

  /** A block inside: what it declares ends with it. */
  inner(): Scope {
    return new Scope(new Map(this.#names), this.#counter, this.fixedFunction);
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
