/** The counts that are not zero. */
export function nonZero<K extends string>(counts: Readonly<Record<K, number>>): { [P in K]?: number } {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as { [P in K]?: number };
}
