import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';

interface Shortcut {
  /** `?`, `mod+k`, or one key after the other: `g c`. */
  readonly keys: string;
  readonly title: string;
  run(): void;
}

const shortcuts = new Set<Shortcut>();
const longestPauseMs = 1200;
let begun = '';
let begunAt = 0;

/** Does something when keys are pressed outside of inputs, as long as the part is shown. `?` lists it. */
export function useShortcut(keys: string | undefined, title: string, run: () => void): void {
  const last = useRef(run);
  useEffect(() => {
    last.current = run;
  });
  useEffect(() => {
    if (keys === undefined) return;
    const one = { keys, title, run: () => last.current() };
    shortcuts.add(one);
    return () => void shortcuts.delete(one);
  }, [keys, title]);
}

export function listenToKeys(): () => void {
  document.addEventListener('keydown', onKeyDown);
  return () => document.removeEventListener('keydown', onKeyDown);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  const isMod = event.ctrlKey || event.metaKey;
  if (!isMod && isTyping(event.target)) return;
  const key = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
  const sequence = Date.now() - begunAt < longestPauseMs && begun !== '' ? `${begun} ${key}` : key;
  const all = [...shortcuts].reverse();
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

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
}

const isMac = navigator.platform.startsWith('Mac');

export function Keys({ keys }: { keys: string }) {
  return (
    <span>
      {keys.split(' ').map((one, i) => (
        <span key={i}>
          {i > 0 && ' then '}
          <kbd>
            {one
              .replace('mod+', isMac ? '⌘ ' : 'Ctrl ')
              .toUpperCase()
              .replace('CTRL', 'Ctrl')}
          </kbd>
        </span>
      ))}
    </span>
  );
}

/** `?`: what the keys do here. */
export function ShortcutHelp() {
  const [isOpen, setOpen] = useState(false);
  useShortcut('?', 'Show the keys', () => setOpen(true));
  if (!isOpen) return null;
  const all = [...new Map([...shortcuts].map(one => [one.keys, one])).values()];
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <dl className="facts">
        {all.map(({ keys, title }) => (
          <div key={keys} className="fact">
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-end">
        <button type="button" className="button" data-first onClick={() => setOpen(false)}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
