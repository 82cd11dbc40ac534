/**
 * How many things run at once: always so many as are told, and up to twice as many while the processors have nothing to do, for most tests wait for
 * something most of the time. A machine that is slow or busy with others is given no more than it can take.
 */
import { availableParallelism, cpus, freemem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** For so long the processors are watched before one more begins, and what it takes is part of what is seen next. */
const watchMs = 3_000;
/** Less of a processor than this was idle only for a moment. */
const roomForOneMore = 0.4;
/** Browsers and API servers of one more file find room in it. */
const memoryForOneMore = 3 * 2 ** 30;

/** Runs all items, beginning them in their order. */
export async function inLanes<T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<void>,
  watch: (until: Promise<void>) => Promise<number> = watchProcessors,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for (const item of items) {
    while (running.size >= atOnce) {
      const room = await watch(Promise.race(running));
      if (running.size < atOnce * 2 && room >= roomForOneMore) break;
    }
    const one: Promise<void> = run(item).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
}

/** How many processors had nothing to do; none when `until` came before that could be told. */
async function watchProcessors(until: Promise<void>): Promise<number> {
  const before = processorTimes();
  const over = new AbortController();
  const isWhole = await Promise.race([until.then(() => false), sleep(watchMs, true, { signal: over.signal }).catch(() => false)]);
  over.abort();
  if (!isWhole || freemem() < memoryForOneMore) return 0;
  const after = processorTimes();
  const perMs = (kind: 'busy' | 'idle') => (after[kind] - before[kind]) / (after.at - before.at);
  // We may be allowed fewer than there are, and what is neither busy nor idle waits for the disk or for another machine.
  return Math.min(perMs('idle'), availableParallelism() - perMs('busy'));
}

function processorTimes(): { at: number; busy: number; idle: number } {
  const times = cpus().map(cpu => cpu.times);
  const busy = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0);
  return { at: performance.now(), busy, idle: times.reduce((sum, { idle }) => sum + idle, 0) };
}
