import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { styleNonce } from './editor/yaml-editor.tsx';
import { isLeaving } from './leave-keys.tsx';

/** A terminal that fills its place. The keys that leave it give the focus to what comes before it. */
export function openTerminal(place: HTMLElement, onLeave?: () => void): { readonly terminal: Terminal; readonly fit: FitAddon } {
  const style = getComputedStyle(document.documentElement);
  const terminal = withNonce(() => {
    const made = new Terminal({
      fontFamily: style.getPropertyValue('--mono'),
      fontSize: 13,
      cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
      screenReaderMode: true,
      theme: { background: '#101518', foreground: '#e7edf0' },
    });
    made.open(place);
    return made;
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.attachCustomKeyEventHandler(event => {
    if (!isLeaving(event)) return true;
    if (event.type === 'keydown') {
      event.preventDefault();
      onLeave?.();
    }
    return false;
  });
  return { terminal, fit };
}

/** The terminal makes `<style>` elements; they are marked so that the browser believes them. */
function withNonce<T>(work: () => T): T {
  const plain = document.createElement.bind(document);
  document.createElement = ((tag: string, options?: ElementCreationOptions) => {
    const element = plain(tag, options);
    if (tag.toLowerCase() === 'style') element.setAttribute('nonce', styleNonce());
    return element;
  }) as typeof document.createElement;
  try {
    return work();
  } finally {
    document.createElement = plain as typeof document.createElement;
  }
}
