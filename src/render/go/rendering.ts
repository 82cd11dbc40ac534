/**
 * The rendering under way. Functions of templates get only their arguments, so what they use up and what they do beside their answer is kept
 * here; rendering never waits, so there is one at a time in a thread.
 */
export interface Rendering {
  /** Counts down with every character and item that functions make. */
  roomLeft: number;
  /** Whether the cluster was asked. */
  usedLookup: boolean;
  /** Whether the same inputs would give something else next time: chance or the clock went in. */
  isUnrepeatable: boolean;
}

/** Enough for the largest charts there are, and little enough for a thread's memory. */
const room = 256 * 1024 * 1024;

export const newRendering = (): Rendering => ({ roomLeft: room, usedLookup: false, isUnrepeatable: false });

let current: Rendering | undefined;

/** Ends the rendering: too large to go on. Nothing that catches errors of functions may catch it. */
export class LimitError extends Error {
  override name = 'LimitError';
}

/** Runs the work of one rendering. */
export function inRendering<T>(rendering: Rendering, work: () => T): T {
  const outer = current;
  current = rendering;
  try {
    return work();
  } finally {
    current = outer;
  }
}

/** Called before something of a size is made. Throws when the rendering has made too much already. */
export function takeRoom(size: number): void {
  if (current === undefined) return;
  current.roomLeft -= size;
  if (!(current.roomLeft >= 0)) throw new LimitError('the template makes values that are too large');
}

export function markUnrepeatable(): void {
  if (current) current.isUnrepeatable = true;
}

export function markLookup(): void {
  if (current) current.usedLookup = true;
}
