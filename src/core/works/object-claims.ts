import type { Work } from '../../api/work.ts';
import type { Key } from '../../runtime/key.ts';
import { compareClaims } from './claims.ts';

/** Which Works of one cluster want which objects, without Helm. */
export class ObjectClaims {
  readonly #objects = new Map<string, Set<Key>>();
  readonly #works = new Map<Key, ReadonlySet<string>>();
  readonly #specs = new Map<Key, string>();

  /** The objects that a Work wants from now on; undefined when it is gone. Answers the Works that are concerned: those with which it shares or shared an object. */
  set(work: Key, objects: ReadonlySet<string> | undefined): Set<Key> {
    const concerned = new Set<Key>();
    const before = this.#works.get(work);
    for (const object of before ?? []) {
      const claimants = this.#objects.get(object)!;
      claimants.delete(work);
      if (claimants.size === 0) this.#objects.delete(object);
      else if (!objects?.has(object)) for (const other of claimants) concerned.add(other);
    }
    if (objects) this.#works.set(work, objects);
    else {
      this.#works.delete(work);
      this.#specs.delete(work);
    }
    for (const object of objects ?? []) {
      let claimants = this.#objects.get(object);
      if (!claimants) this.#objects.set(object, (claimants = new Set()));
      if (!before?.has(object)) for (const other of claimants) concerned.add(other);
      claimants.add(work);
    }
    return concerned;
  }

  /** The objects that a Work is known to want. */
  of(work: Key): ReadonlySet<string> {
    return this.#works.get(work) ?? new Set();
  }

  /** Says of which spec of a Work its claims are. */
  setSpec(work: Key, spec: string): void {
    this.#specs.set(work, spec);
  }

  isOfSpec(work: Key, spec: string): boolean {
    return this.#specs.get(work) === spec;
  }

  /** All who want an object, in no order. */
  claimants(object: string): ReadonlySet<Key> {
    return this.#objects.get(object) ?? nobody;
  }

  /** The Works with which one shares an object. */
  rivals(work: Key): Set<Key> {
    const rivals = new Set<Key>();
    for (const object of this.#works.get(work) ?? []) for (const other of this.claimants(object)) if (other !== work) rivals.add(other);
    return rivals;
  }
}

const nobody: ReadonlySet<Key> = new Set();

/** Who of several delivers an object. */
export function winnerOf(works: readonly Work[]): Work | undefined {
  let best: Work | undefined;
  for (const work of works) if (!best || compareClaims(work, best) < 0) best = work;
  return best;
}
