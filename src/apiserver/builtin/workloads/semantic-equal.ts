/** Whether Go's semantic equality would call two decoded values equal: an absent value, null and an empty list are the same. */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b);
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => semanticEqual(item, b[i]));
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key in left) if (!semanticEqual(left[key], right[key])) return false;
  for (const key in right) if (!(key in left) && !isAbsent(right[key])) return false;
  return true;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Equality of maps, where Go does not tell an absent map from an empty one. */
export function mapsEqual(a: Record<string, unknown> | undefined, b: Record<string, unknown> | undefined): boolean {
  return semanticEqual(a ?? {}, b ?? {});
}
