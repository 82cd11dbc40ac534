const lookAhead = 8;
const manyMisses = 8;

/**
 * Tells, of the items of a list in their order, which are the very items of an older list. Costs next to nothing where few came, went or changed, which is how
 * lists of thousands are written again.
 */
export function sharedItems(old: readonly unknown[]): (item: unknown) => boolean {
  let next = 0;
  let misses = 0;
  let all: Set<unknown> | undefined;
  return item => {
    const end = Math.min(old.length, next + lookAhead);
    for (let i = next; i < end; i++) {
      if (old[i] !== item) continue;
      next = i + 1;
      return true;
    }
    // One that is new, or one that has moved far.
    if (misses++ < manyMisses) return false;
    return (all ??= new Set(old)).has(item);
  };
}
