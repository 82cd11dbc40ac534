import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { settled } from './page-steps.ts';

/** More than this on one screen is a walk that nobody takes. */
const mostStops = 600;
const stepsBack = 25;

/** In the page: marks what should be reached, and answers how many there are. */
const markStops = `(() => {
  const isSeen = one => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 0 && !one.closest('[inert]');
  const interactive = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"], [role="button"], [role="link"]';
  // Of radio buttons that belong together the browser stops at one; arrows lead to the others.
  const isLedTo = one => one.type === 'radio' && [...document.getElementsByName(one.name)].some(other => other !== one && other.checked);
  window.walked = { ids: new Map(), stops: [], isFar: one => !isSeen(one) };
  let count = 0;
  for (const one of document.querySelectorAll(interactive)) {
    if (one.tabIndex < 0 || one.disabled || !isSeen(one) || isLedTo(one)) continue;
    walked.ids.set(one, ++count);
  }
  return count;
})()`;

/** In the page: what has the focus, whether one sees that, and whether one sees it at all. */
const focusNow = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return { id: 0, name: '', isRow: false, faults: [] };
  const { ids } = walked;
  if (!ids.has(at)) ids.set(at, ids.size + 1);
  const faults = [];
  const outlines = [at, at.parentElement, at.parentElement?.parentElement, at.parentElement?.parentElement?.parentElement].filter(Boolean);
  const isMarked = outlines.some(one => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && !/, 0\\)$|transparent/.test(outlineColor);
  });
  if (!isMarked) faults.push('nothing shows that it has the focus');
  const { left, top, width, height } = at.getBoundingClientRect();
  // Of what is larger than the window some part is enough.
  const x = Math.min(Math.max(left + Math.min(width / 2, 40), 0), innerWidth - 1);
  const y = top + Math.min(height / 2, 20);
  const hit = y < 0 || y >= innerHeight ? null : document.elementFromPoint(x, y);
  const isTerminal = at.closest('.terminal') !== null;
  if (!isTerminal && !(hit && (hit.contains(at) || at.contains(hit) || hit.closest('label')?.contains(at)))) faults.push('it is covered or out of sight');
  const label = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? '';
  return { id: ids.get(at), name: (at.tagName + ' ' + label.trim().slice(0, 40)).trim(), isRow: at.getAttribute('role') === 'row', faults };
})()`;

/** Editors say a moment later that they have the focus, and what comes into sight does so with the next frame. */
const whatHasFocus = `(async () => {
  for (let i = 0; ; i++) {
    const now = ${focusNow};
    if (now.faults.length === 0 || i === 20) return now;
    await new Promise(resolve => setTimeout(resolve, 25));
  }
})()`;

/** In the page: what could not be reached, of those that are still there to be seen. */
const unreached = `(seen => [...walked.ids]
  .filter(([one, id]) => !seen.includes(id) && one.isConnected && !walked.isFar(one) && one.tabIndex >= 0 && one.getAttribute('role') !== 'row')
  .map(([one]) => 'Tab does not come to ' + one.outerHTML.slice(0, 120)))`;

interface Stop {
  readonly id: number;
  readonly name: string;
  readonly isRow: boolean;
  readonly faults: readonly string[];
}

/** Goes through a screen with the Tab key alone, and a part of the way back. Answers what is wrong with the way. */
export async function walkByKeyboard(page: Page): Promise<string[]> {
  const expected = Number(await page.evaluate(markStops));
  const faults: string[] = [];
  const stops: Stop[] = [];
  const step = async (key: string): Promise<Stop> => {
    await page.keyboard.press(key);
    return (await page.evaluate(whatHasFocus)) as Stop;
  };
  for (let last: Stop | undefined; ; last = stops.at(-1)) {
    const stop = await step('Tab');
    if (stop.id !== 0 && stop.id === last?.id) {
      faults.push(...(await leave(page, stop)));
      stops.push(...(await around(page, stop, step)));
      break;
    }
    if (stop.id !== 0 && stop.id === stops.find(one => one.id !== 0)?.id) break;
    stops.push(stop);
    if (stops.length > Math.max(mostStops, 2 * expected)) return [...faults, `no end after ${stops.length} stops, at ${stop.name}`];
    faults.push(...stop.faults.map(fault => `${stop.name}: ${fault}`));
  }
  const seen = stops.map(one => one.id);
  faults.push(...((await page.evaluate(`${unreached}(${JSON.stringify(seen)})`)) as string[]));
  const isWhole = new Set(seen).size === seen.length;
  return [...new Set([...faults, ...(isWhole ? await walkBack(stops, step) : [])])];
}

/** What is typed into a machine goes there, the Tab key too: then other keys lead out, and the screen says which. */
async function leave(page: Page, stop: Stop): Promise<string[]> {
  const isSaid = await page.getByText('gives the keyboard back to the page').first().isVisible();
  await page.keyboard.press('Control+Alt+KeyG');
  const next = (await page.evaluate(whatHasFocus)) as Stop;
  return isSaid && next.id !== stop.id ? [] : [`Tab does not leave ${stop.name}`];
}

/** What is before it is reached from the top of the page, what is after it from the end. */
async function around(page: Page, machine: Stop, step: (key: string) => Promise<Stop>): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (const key of ['Tab', 'Shift+Tab']) {
    await page.evaluate(`document.querySelector('.skip').focus()`);
    stops.push((await page.evaluate(whatHasFocus)) as Stop);
    for (let i = 0; i < mostStops && stops.at(-1)!.id !== machine.id; i++) stops.push(await step(key));
  }
  return stops;
}

/** Rows are left out: the one with the focus is the one stop of its table. */
async function walkBack(stops: readonly Stop[], step: (key: string) => Promise<Stop>): Promise<string[]> {
  const way = stops.filter(one => one.id !== 0 && !one.isRow).toReversed();
  for (let i = 0, steps = 0; i < Math.min(way.length, stepsBack) && steps < 3 * stepsBack; steps++) {
    const stop = await step('Shift+Tab');
    if (stop.id === 0 || stop.isRow) continue;
    if (stop.id !== way[i]!.id) return [`Shift+Tab goes to ${stop.name} and not back to ${way[i]!.name}`];
    i++;
  }
  return [];
}

const openers = 'main .actions button, main .rows [role="row"]:first-child .row-end button, main .table-tools button.main-deed';

/** Opens whatever can be opened from the buttons of a screen, by keyboard. Answers what is wrong with the dialogs. */
export async function tryDialogs(page: Page, more: readonly string[] = []): Promise<string[]> {
  const here = page.url();
  const faults: string[] = [];
  const buttons = page.locator([openers, ...more].join(', ')).and(page.locator('button:enabled:not([role^="menuitem"])'));
  for (const name of await namesOf(buttons)) {
    const button = page.getByRole('button', { name, exact: true }).first();
    await comeBack(page, here);
    const isMenu = (await button.getAttribute('aria-haspopup')) === 'menu';
    for (let at = 0, count = 1; at < count; at++) {
      await comeBack(page, here);
      await button.focus();
      await page.keyboard.press('Enter');
      const chosen = isMenu ? await chooseItem(page, at) : { title: '', count: 1 };
      if (!chosen) {
        faults.push(
          `${name}: no menu opens, the focus is on ${String(await page.evaluate('document.activeElement.outerHTML.slice(0, 200)'))}`,
        );
        break;
      }
      count = chosen.count;
      faults.push(...(await tryWhatOpened(page, { name, here })).map(fault => `${chosen.title} ${fault}`.trim()));
    }
  }
  await comeBack(page, here);
  return faults;
}

const namesOf = async (buttons: Locator): Promise<ReadonlySet<string>> =>
  new Set(
    await Promise.all((await buttons.all()).map(async one => (await one.getAttribute('aria-label')) ?? (await one.innerText()).trim())),
  );

/** With arrows, once the menu is known to be whole. What only marks something, does nothing or ends everything is not chosen. */
async function chooseItem(page: Page, at: number): Promise<{ title: string; count: number } | undefined> {
  const items = page.locator('[role="menu"]:popover-open [role^="menuitem"]');
  let last = '';
  const isWhole = async () => {
    const before = last;
    last = (await items.allInnerTexts()).join('\n');
    return last !== '' && last === before && !last.startsWith('Asking');
  };
  await eventually(isWhole, Boolean, { everyMs: 300, timeoutMs: 15_000 }).catch(() => {});
  if (last === '') return undefined;
  const titles = last.split('\n');
  for (let k = 0; k < at; k++) await page.keyboard.press('ArrowDown');
  const title = titles[at] ?? '';
  const isDeed = (await items.nth(at).getAttribute('role')) === 'menuitem' && !/^(Nothing that|Sign out)/.test(title);
  await page.keyboard.press(isDeed ? 'Enter' : 'Escape');
  return { title, count: titles.length };
}

async function comeBack(page: Page, here: string): Promise<void> {
  if ((await page.evaluate('location.href')) === here) return;
  await page.goto(here);
  await settled(page);
}

interface Opened {
  /** What had the focus before. */
  readonly name: string;
  readonly here: string;
}

/** Whether something becomes true soon. Not `waitForFunction`, which would evaluate a text in the page, against its policy. */
const comes = (page: Page, expression: string): Promise<boolean> =>
  eventually(() => page.evaluate<boolean>(expression), Boolean, { timeoutMs: 4000 }).catch(() => false);

/** What leads to another screen is left again; what opens no dialog is no dialog. */
async function tryWhatOpened(page: Page, { name, here }: Opened): Promise<string[]> {
  const hasOpened = await comes(page, `document.querySelector('dialog[open]') !== null || location.href !== ${JSON.stringify(here)}`);
  const isHere = (await page.evaluate('location.href')) === here;
  return isHere && hasOpened ? tryDialog(page, name) : [];
}

/** What is wrong with the dialog that is open: it keeps the focus, Escape closes it, and what had the focus before has it again. */
async function tryDialog(page: Page, opener: string): Promise<string[]> {
  const dialog = page.locator('dialog[open]');
  const faults: string[] = [];
  const isInside = `document.activeElement === document.body || document.activeElement.closest('dialog[open]') !== null`;
  const stops = await dialog.locator('button, input, select, textarea, a[href], [tabindex="0"]').count();
  for (let i = 0; i < Math.min(stops + 2, 30); i++) {
    await page.keyboard.press(i % 3 === 2 ? 'Shift+Tab' : 'Tab');
    if (!(await page.evaluate(isInside))) faults.push('Tab leaves the dialog');
  }
  // In an editor the first one gives the keyboard back.
  for (let i = 0; i < 3 && (await dialog.count()) > 0; i++) {
    await page.keyboard.press('Escape');
    await comes(page, `!document.querySelector('dialog[open]')`);
  }
  if ((await dialog.count()) > 0) return [...faults, `${opener}: Escape does not close the dialog`];
  const back = String(await page.evaluate(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText`)).trim();
  if (back !== opener) faults.push(`the focus comes back to ${JSON.stringify(back.slice(0, 60))}`);
  return [...new Set(faults)].map(fault => `${opener}: ${fault}`);
}
