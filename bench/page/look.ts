import type { CDPSession, Page } from 'playwright-core';

/** Milliseconds from the first request for a place: when something is seen, when the first row is there, when all are. */
export interface Shown {
  readonly paintMs: number;
  readonly firstRowMs: number;
  readonly allRowsMs: number;
}

export async function show(page: Page, url: string, rows: number): Promise<Shown> {
  const startedAt = performance.now();
  const passed = () => performance.now() - startedAt;
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator('.rows [role="row"]').first().waitFor({ timeout: 60_000 });
  const firstRowMs = passed();
  // A namespace may hold one object of the server's own.
  await page
    .locator('.table-end', { hasText: new RegExp(`^(${rows.toLocaleString('en')}|${(rows + 1).toLocaleString('en')}) rows$`) })
    .waitFor({ timeout: 300_000 });
  const allRowsMs = passed();
  const paintMs = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  return { paintMs, firstRowMs, allRowsMs };
}

export interface Scrolled {
  readonly frames: number;
  readonly p50: number;
  readonly p99: number;
  /** Frames that took longer than two of a screen with 60 a second, in percent. */
  readonly latePercent: number;
}

/** Scrolls by a screen each frame for some seconds, and answers how long frames took. */
export async function scroll(page: Page, seconds: number): Promise<Scrolled> {
  const frames = (await page.evaluate(`(async () => {
    const box = document.querySelector('.table-scroll');
    const times = [];
    const startedAt = performance.now();
    for (let last = startedAt; last - startedAt < ${seconds * 1000}; ) {
      box.scrollTop = (box.scrollTop + box.clientHeight) % Math.max(1, box.scrollHeight - box.clientHeight);
      const now = await new Promise(resolve => requestAnimationFrame(resolve));
      times.push(now - last);
      last = now;
    }
    return times;
  })()`)) as number[];
  const sorted = frames.slice(1).toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { frames: frames.length, p50: at(0.5), p99: at(0.99), latePercent: (sorted.filter(ms => ms > 33.4).length / sorted.length) * 100 };
}

/** What the scripts of a tab hold when nothing is left to throw away, in MiB. */
export async function heapMib(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}
