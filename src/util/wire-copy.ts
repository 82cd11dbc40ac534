/** What would arrive after a journey as JSON: a copy without the members that are undefined. */
export function wireCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(item => wireCopy(item ?? null));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    // Assigning this one would set the prototype instead.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: wireCopy(member), enumerable: true, configurable: true, writable: true });
    else copy[key] = wireCopy(member);
  }
  return copy;
}
