import type { Key } from '../../../runtime/key.ts';

/** How many clusters are busy over all runs, as it was last decided. */
export interface HubRoom {
  /** How many of a run may be, beside those of the others. */
  left(run: Key): number;
  /** Takes down how many of a run are, and whether it would have more. Answers who may go on because there is room again. */
  note(run: Key, busy: number, waits: boolean): Key[];
}

export function hubRoom(limit: number): HubRoom {
  const busy = new Map<Key, number>();
  const waiting = new Set<Key>();
  const left = () => limit - [...busy.values()].reduce((sum, one) => sum + one, 0);
  return {
    left: run => Math.max(0, left() + (busy.get(run) ?? 0)),
    note(run, count, waits) {
      if (count > 0) busy.set(run, count);
      else busy.delete(run);
      if (waits) waiting.add(run);
      else waiting.delete(run);
      return left() > 0 ? [...waiting].filter(one => one !== run) : [];
    },
  };
}
