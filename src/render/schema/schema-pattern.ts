import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

const compiled = new LRUCache<string, RE2JS>({ max: 1000 });

/** Whether a text has a part that matches, in time linear in its length. Throws when the pattern is none. */
export function matchesPattern(pattern: string, text: string): boolean {
  let known = compiled.get(pattern);
  if (!known) {
    known = RE2JS.compile(pattern);
    compiled.set(pattern, known);
  }
  return known.matcher(text).find();
}
