import { useEffect, useRef } from 'react';
import { keysOf, nameOfKey, type KeyActionId } from './key-actions.ts';
import { getKeyChoices } from './key-choices.ts';

interface Shortcut {
  readonly id: KeyActionId;
  run(): void;
}

const shortcuts = new Set<Shortcut>();
export const longestPauseMs = 1200;
let begun = '';
let begunAt = 0;

/** Does something when its keys are pressed outside of inputs, as long as the part is shown. */
export function useShortcut(id: KeyActionId | undefined, run: () => void): void {
  const last = useRef(run);
  useEffect(() => {
    last.current = run;
  });
  useEffect(() => {
    if (id === undefined) return;
    const one = { id, run: () => last.current() };
    shortcuts.add(one);
    return () => void shortcuts.delete(one);
  }, [id]);
}

/** What keys do with one of several things, for the part of a screen that knows which one is meant. */
export type KeyDeeds<T> = Readonly<Partial<Record<KeyActionId, (one: T) => void>>>;

const elsewhere = new Set<() => readonly KeyActionId[]>();

/** Answers what a pressed key does with one of several things: undefined when nothing, or when it goes on with keys that were pressed before. */
export function useKeyDeeds<T>(deeds: KeyDeeds<T> | undefined): (event: KeyPress) => ((one: T) => void) | undefined {
  useEffect(() => {
    if (!deeds) return;
    const ids = () => Object.keys(deeds) as KeyActionId[];
    elsewhere.add(ids);
    return () => void elsewhere.delete(ids);
  }, [deeds]);
  return event => {
    const key = nameOfKey(event);
    if (!deeds || key === undefined || isBegun()) return undefined;
    const choices = getKeyChoices();
    const id = (Object.keys(deeds) as KeyActionId[]).find(one => keysOf(one, choices) === key);
    return id && deeds[id];
  };
}

type KeyPress = Parameters<typeof nameOfKey>[0];

const isBegun = () => begun !== '' && Date.now() - begunAt < longestPauseMs;

/** What keys do on the screen that is shown. */
export const presentActions = (): ReadonlySet<KeyActionId> =>
  new Set([...[...shortcuts].map(one => one.id), ...[...elsewhere].flatMap(ids => ids())]);

export function listenToKeys(): () => void {
  document.addEventListener('keydown', onKeyDown);
  return () => document.removeEventListener('keydown', onKeyDown);
}

function onKeyDown(event: KeyboardEvent): void {
  // Keys that are pressed in a dialog, or while nothing in it has the focus, are not for the screen behind it.
  if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const key = nameOfKey(event);
  if (key === undefined || (!key.startsWith('mod+') && isTyping(event.target))) return;
  const sequence = isBegun() ? `${begun} ${key}` : key;
  const choices = getKeyChoices();
  const all = [...shortcuts].reverse().map(one => ({ ...one, keys: keysOf(one.id, choices) }));
  const found = all.find(one => one.keys === sequence) ?? all.find(one => one.keys === key);
  if (found) {
    event.preventDefault();
    begun = '';
    return found.run();
  }
  const isBeginning = all.some(one => one.keys.startsWith(`${key} `));
  begun = isBeginning ? key : '';
  begunAt = Date.now();
}

/** Fields in which nobody writes. */
const unwritten = new Set(['checkbox', 'radio', 'button', 'submit']);

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !unwritten.has(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName));
}

const isMac = navigator.platform.startsWith('Mac');

/** Letters as they stand on keys. */
function keyTitle(key: string): string {
  const [letter, modifier] = key.startsWith('mod+') ? [key.slice(4), isMac ? '⌘ ' : 'Ctrl '] : [key, ''];
  if (letter.length > 1 || letter.toLowerCase() === letter.toUpperCase()) return modifier + letter;
  return letter === letter.toLowerCase() ? modifier + letter.toUpperCase() : `Shift ${letter}`;
}

export function Keys({ keys }: { keys: string }) {
  if (keys === '') return <span className="muted">none</span>;
  return (
    <span>
      {keys.split(' ').map((one, i) => (
        <span key={i}>
          {i > 0 && ' then '}
          <kbd>{keyTitle(one)}</kbd>
        </span>
      ))}
    </span>
  );
}
