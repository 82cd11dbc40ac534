/** Runs work on every item, at most `limit` at a time. After a failure nothing new begins; what runs ends, then the first failure is thrown. */
export async function runAll<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const failures = new Map<number, unknown>();
  let next = 0;
  const lane = async () => {
    while (next < items.length && failures.size === 0) {
      const i = next++;
      try {
        await work(items[i]!);
      } catch (error) {
        failures.set(i, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
}
