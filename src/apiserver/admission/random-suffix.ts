import { randomInt } from 'node:crypto';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters that cannot form words, as generated names end. */
export function randomSuffix(): string {
  let suffix = '';
  while (suffix.length < 5) suffix += alphabet[randomInt(alphabet.length)];
  return suffix;
}
