import { cpus, totalmem } from 'node:os';
import { buildUi } from '../scripts/build-ui.ts';
import { startBrowser } from '../test/helpers/browser.ts';
import { figure, type Figure } from './figure.ts';
import { heapMib, scroll, show, type Scrolled } from './page/look.ts';
import { startPageHub } from './page/page-hub.ts';
import { spentBy, tabMib } from './page/tab.ts';
import type { BenchOptions, BenchResult } from './run.ts';

/** The web page of a large hub in a real browser: what a person waits for, and what the tab holds after an hour of five changes a second, sped up. */
export async function benchPage({ quick, sizes, log }: BenchOptions): Promise<BenchResult> {
  const clusters = sizes[0] ?? (quick ? 500 : 5000);
  const objects = clusters * 10;
  const changes = quick ? 2000 : 18_000;
  await buildUi();
  await using hub = await startPageHub({ clusters, objects, log });
  await using browser = await startBrowser();
  await using window = await browser.open();
  const { page, context } = window;
  const figures: Figure[] = [];
  const add = (name: string, unit: string, ours: number, below?: number): void => {
    log(`${name}: ${ours.toFixed(1)} ${unit}`);
    figures.push(figure({ name, unit, ours, peer: NaN, better: 'less', ...(below !== undefined && { below }) }));
  };

  await page.goto(`${hub.url}/ui/`);
  await page.getByLabel('Password').fill(hub.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  const session = await context.newCDPSession(page);

  const many = `${clusters.toLocaleString('en')} clusters`;
  const first = await show(page, `${hub.url}/ui/clusters`, clusters);
  add(`${many}: first paint`, 'ms', first.paintMs, 1000);
  add(`${many}: first rows`, 'ms', first.firstRowMs);
  add(`${many}: all rows`, 'ms', first.allRowsMs);
  await scrollThrough(many);
  add(`${many}: held by its scripts`, 'MiB', await heapMib(session));
  add(`${many}: held by the whole tab`, 'MiB', await tabMib(context));

  const startedAt = performance.now();
  const changing = hub.change(changes);
  await scrollThrough(`${many}, many of them changing`);
  await changing;
  log(`${changes} changes after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  const later = `after ${changes.toLocaleString('en')} changes`;
  add(`${many}: held by its scripts ${later}`, 'MiB', await heapMib(session));
  add(`${many}: held by the whole tab ${later}`, 'MiB', await tabMib(context), 300);

  const things = `${objects.toLocaleString('en')} objects`;
  const listed = await show(page, `${hub.url}/ui/explore/core/v1/configmaps?cluster=local&ns=bench`, objects);
  add(`${things}: first rows`, 'ms', listed.firstRowMs);
  add(`${things}: all rows`, 'ms', listed.allRowsMs);
  await scrollThrough(things);
  add(`${things}: held by its scripts`, 'MiB', await heapMib(session));
  add(`${things}: held by the whole tab`, 'MiB', await tabMib(context), 300);

  /** Frames take as long as the machine lets them; the processor time of one is the page's own. */
  async function scrollThrough(what: string): Promise<void> {
    let scrolled: Scrolled | undefined;
    const spent = await spentBy(session, async () => {
      scrolled = await scroll(page, 5);
    });
    const { frames, p50, p99, latePercent } = scrolled!;
    add(`${what}: a screen further each frame, p50`, 'ms', p50, 17);
    add(`${what}: the same, p99`, 'ms', p99);
    add(`${what}: the same, late frames`, '%', latePercent);
    add(`${what}: processor time of a frame`, 'ms', spent.all / frames, 17);
    add(`${what}: of it scripts`, 'ms', spent.script / frames);
    add(`${what}: of it styles and layout`, 'ms', (spent.style + spent.layout) / frames);
  }

  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      'hub: `drover up`, embedded, all its controllers running, over TLS on loopback; Chromium without a graphics processor, 1360 × 860, on the same cores',
    ],
    figures,
  };
}
