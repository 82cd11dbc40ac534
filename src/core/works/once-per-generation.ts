import { LRUCache } from 'lru-cache';
import type { Work } from '../../api/work.ts';

const maxRemembered = 10_000;

/** Remembers what follows from the spec of a Work, which must be as the server has it: specs may be large, and a generation has one. */
export function oncePerGeneration<T extends string>(compute: (work: Work) => T): (work: Work) => T {
  const known = new LRUCache<string, T>({ max: maxRemembered });
  return work => {
    const { uid, generation } = work.metadata;
    // Not from a server.
    if (uid === undefined || generation === undefined) return compute(work);
    const key = `${uid}/${generation}`;
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = compute(work)));
    return value;
  };
}
