import { readFileSync } from 'node:fs';
import type { BrowserContext, CDPSession } from 'playwright-core';

/** What the tab holds as the system counts it, in MiB: its whole process, with what it shares with others divided among them. */
export async function tabMib(context: BrowserContext): Promise<number> {
  const session = await context.browser()!.newBrowserCDPSession();
  try {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => pssMib(id));
    // The browser keeps an empty one ready.
    return Math.max(...sizes);
  } finally {
    await session.detach();
  }
}

function pssMib(pid: number): number {
  const [, kib = 'NaN'] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** Processor time of the tab's main thread, in milliseconds: what waiting for others does not change. */
export interface Spent {
  readonly all: number;
  readonly script: number;
  readonly style: number;
  readonly layout: number;
}

export async function spentBy(session: CDPSession, work: () => Promise<void>): Promise<Spent> {
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => new Map((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value * 1000]));
  const before = await read();
  await work();
  const after = await read();
  await session.send('Performance.disable');
  const passed = (name: string) => (after.get(name) ?? NaN) - (before.get(name) ?? NaN);
  return {
    all: passed('TaskDuration'),
    script: passed('ScriptDuration'),
    style: passed('RecalcStyleDuration'),
    layout: passed('LayoutDuration'),
  };
}
