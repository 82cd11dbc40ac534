import { printJson } from '../../util/json.ts';

export const podTemplateHashLabel = 'pod-template-hash';

// No vowels and no look-alikes, so that names made of them spell nothing.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a value, safe in labels and names. The collision count makes another one for the same value. */
export function shortHash(value: unknown, collisionCount?: number): string {
  const hash = fnv32(`${printJson(inKeyOrder(value))}${collisionCount === undefined ? '' : `#${collisionCount}`}`);
  return [...String(hash)].map(digit => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

function fnv32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** The same value with its keys in order, at every depth, and without what is absent: equal values then have one text. */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, inKeyOrder(member)]));
}
