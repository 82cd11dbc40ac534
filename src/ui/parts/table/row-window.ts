/** Which rows of a table are in sight, and the elements they are drawn in. */
export interface RowWindow {
  readonly first: number;
  /** How many elements there are. Each holds every so manieth row, so that a row stays where it is while others come and go. */
  readonly slots: number;
  /** The element that stands first in the document. */
  readonly turn: number;
}

/**
 * Rows and their elements in the order of the document. While somebody scrolls that order stays, whatever rows come: to move an element costs as much as
 * to make a new one. Once `turn` is the element of the first row, the order is that of the rows, as those need it who have the page read to them.
 */
export function rowsInSight({ first, slots, turn }: RowWindow, count: number): readonly { slot: number; index: number }[] {
  const end = Math.min(count, first + slots);
  const found: { slot: number; index: number }[] = [];
  for (let i = 0; i < slots; i++) {
    const slot = (turn + i) % slots;
    const index = first + ((slot - (first % slots) + slots) % slots);
    if (index < end) found.push({ slot, index });
  }
  return found;
}
