/** How long a text or a list may be, or how many entries a map may have. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

/** What the members of a list or a map are like. */
export interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: Size;
  readonly value: Size;
}

export const unknownSize: Size = { min: 0, max: Infinity };
export const fixedSize = (size: number): Size => ({ min: size, max: size });
export const addSizes = (a: Size, b: Size): Size => ({ min: a.min + b.min, max: a.max + b.max });
export const unionOfSizes = (a: Size, b: Size): Size => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
export const multiplySizes = (a: Size, b: Size): Size => ({ min: product(a.min, b.min), max: product(a.max, b.max) });

export function unionOfEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b && { container: a.container, key: unionOfSizes(a.key, b.key), value: unionOfSizes(a.value, b.value) };
}

/** Nothing is nothing, however often. */
export const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);

/** What it costs to walk through something of this size. */
export const walk = ({ max }: Size, factor = traversal): number => Math.ceil(product(max, factor));

/** Per character, and per character of a pattern. */
export const traversal = 0.1;
export const patternTraversal = 0.25;
