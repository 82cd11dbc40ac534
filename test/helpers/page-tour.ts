import type { Page } from 'playwright-core';
import type { ScreenPath } from '../../src/ui/screens/screen-paths.ts';
import type { TestWindow } from './browser.ts';
import { tryDialogs, walkByKeyboard } from './keyboard-walk.ts';
import { settled } from './page-steps.ts';

/** Where to go: for each screen of the page at least one address. A screen without one is an error of types. */
export type Tour = Readonly<Record<ScreenPath, readonly [string, ...string[]]>>;

export interface TourOptions {
  /** Begins the names of pictures. */
  readonly who: string;
  readonly colors: readonly ('light' | 'dark')[];
  readonly withKeyboard: boolean;
  /** Whether what opens from the buttons of a screen is looked at, too. */
  readonly withDialogs?: boolean;
  /** Whether one address of each screen is enough, without its other parts. */
  readonly isShort?: boolean;
  url(place: string): string;
  /** What else is looked at. Answers what is wrong. */
  look?(page: Page, place: string): Promise<readonly string[]>;
  /** Whether a part of a screen is left out. */
  isLeftOut?(place: string): boolean;
}

/** Visits every screen and every part of it that is on offer there. Answers all that is wrong with them, each with where it was seen. */
export async function takeTour(window: TestWindow, tour: Tour, options: TourOptions): Promise<string[]> {
  const { page, faults } = window;
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const [path, places] of Object.entries(tour))
    for (const place of options.isShort ? places.slice(0, 1) : places) {
      await visit(place);
      if (options.isShort) continue;
      for (const { title, to } of await partsOf(page)) if (!seen.has(`${path} ${title}`)) await visitPart(`${path} ${title}`, to);
    }
  return wrong;

  async function visitPart(key: string, place: string): Promise<void> {
    seen.add(key);
    await visit(place);
  }

  async function visit(place: string): Promise<void> {
    if (seen.has(place) || options.isLeftOut?.(place)) return;
    seen.add(place);
    const { who, colors, withKeyboard, look } = options;
    await page.goto(options.url(place));
    await settled(page);
    const found: string[] = [];
    if (await page.getByText('Nothing is at this address').count()) found.push('there is no such screen');
    for (const text of await page.locator('main [role="alert"]').allInnerTexts()) found.push(`an alarm: ${text}`);
    for (const colorScheme of colors) {
      await page.emulateMedia({ colorScheme });
      await window.picture(`${who}${place.replace(/\?.*/, '').replaceAll('/', '-')}-${colorScheme}`);
      found.push(...(await window.barriers()));
    }
    found.push(...((await look?.(page, place)) ?? []));
    if (withKeyboard) found.push(...(await walkByKeyboard(page)));
    if (options.withDialogs) found.push(...(await tryDialogs(page, place === '/' ? ['.top button'] : [])));
    found.push(...faults.splice(0));
    wrong.push(...found.map(one => `${place}: ${one}`));
  }
}

/** The tabs of a screen. */
async function partsOf(page: Page): Promise<{ title: string; to: string }[]> {
  return (await page.evaluate(
    `[...document.querySelectorAll('main nav[aria-label="Parts"] a')].map(one => ({ title: one.innerText, to: one.pathname.replace(/^\\/ui/, '') }))`,
  )) as { title: string; to: string }[];
}

/** Buttons that change nothing but the page, and what everybody may do. Others are not for readers. */
const harmless =
  /^(Grouped|Each|Columns|Ask|(Look|Count)( again)?|Copy command|Coming from .*|Follow|Actions( for .*)?|All clusters|Wrap|Download|Make a token|Revoke .*)$/;

/** What is on offer to somebody who may only read. */
export async function temptations(page: Page): Promise<readonly string[]> {
  const buttons = await page.locator('main').getByRole('button').all();
  const names = await Promise.all(buttons.map(async one => (await one.getAttribute('aria-label')) ?? (await one.innerText())));
  const inHeads = new Set(await page.getByRole('columnheader').getByRole('button').allInnerTexts());
  return names.filter(name => !harmless.test(name.trim()) && !inHeads.has(name)).map(name => `a button that would be refused: ${name}`);
}
