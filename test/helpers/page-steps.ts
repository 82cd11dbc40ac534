import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** Waits until nothing on the screen says that it loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await eventually(
    () => page.locator('main .loading, main [aria-busy="true"]').count(),
    count => count === 0,
    { timeoutMs: 30_000 },
  );
}

export const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

const mostStops = 80;

/** Goes to a button, a link or a field with the Tab key alone. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const stops: string[] = [];
  for (let i = 0; i < mostStops; i++) {
    await page.keyboard.press('Tab');
    const stop = String(
      await page.evaluate(`(() => {
        const at = document.activeElement;
        const label = at.labels?.[0];
        return at.getAttribute('aria-label') ?? (label?.querySelector('.label') ?? label)?.textContent ?? at.textContent ?? '';
      })()`),
    ).trim();
    if (stop === name) return;
    stops.push(stop.slice(0, 30));
  }
  assert.fail(`Tab does not come to ${JSON.stringify(name)}, but to ${stops.join(' | ')}`);
}

/** As a person would: finds the line of an editor, and writes over it. */
export async function replaceText(page: Page, from: string, to: string): Promise<void> {
  const line = page.locator('.cm-line').filter({ hasText: from }).first();
  await line.click();
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+Home');
  await page.keyboard.type(to);
}
