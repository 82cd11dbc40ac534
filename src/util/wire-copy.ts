import { isJsonObject, setMember } from './json.ts';
import { sharedItems } from './shared-items.ts';

/**
 * What would arrive after a journey as JSON: a copy without the members that are undefined. Parts that are the very parts of `known`, which never changes, are
 * kept as they are.
 */
export function wireCopy(value: unknown, known?: unknown): unknown {
  if (typeof value !== 'object' || value === null || value === known) return value;
  if (Array.isArray(value)) {
    const isKnown = Array.isArray(known) ? sharedItems(known) : undefined;
    return value.map(item => (isKnown?.(item) ? item : wireCopy(item ?? null)));
  }
  const members = isJsonObject(known) ? known : undefined;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) if (member !== undefined) setMember(copy, key, wireCopy(member, members?.[key]));
  return copy;
}
