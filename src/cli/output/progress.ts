import type { Terminal } from '../terminal.ts';
import { visibleLine } from './visible-text.ts';

/** How one of many is. */
export interface ProgressItem {
  readonly name: string;
  /** A word or two. */
  readonly state: string;
  readonly isDone: boolean;
}

export interface Progress extends Disposable {
  /** What is known now. Only what changed is said. */
  show(items: readonly ProgressItem[]): void;
  /** Makes room for a line of others. */
  clear(): void;
}

type Sink = Pick<Terminal, 'err' | 'isErrorTty' | 'errorColumns'>;

/** A line that is as wide as the terminal, or wider, could not be drawn over. */
const widest = { bar: 20, line: 79 };

/** Long work on many clusters, on standard error: one line with a bar that is drawn again on a terminal, a line for each change otherwise. */
export function showProgress(terminal: Sink): Progress {
  return terminal.isErrorTty ? drawnBar(terminal) : plainLines(terminal);
}

function drawnBar(terminal: Sink): Progress {
  const { err } = terminal;
  let drawn = '';
  const clear = () => {
    if (drawn !== '') err('\r\x1b[K');
    drawn = '';
  };
  return {
    clear,
    show(items) {
      const line = barLine(items, terminal.errorColumns || undefined);
      if (line !== drawn) err(`\r\x1b[K${line}`);
      drawn = line;
    },
    [Symbol.dispose]: clear,
  };
}

/** `[==========          ] 1/2  west: Provisioning`. */
export function barLine(items: readonly ProgressItem[], columns = widest.line + 1): string {
  const maxLine = Math.max(Math.min(widest.line, columns - 1), 1);
  const barWidth = Math.min(widest.bar, Math.floor(columns / 4));
  const done = items.filter(one => one.isDone).length;
  const filled = items.length === 0 ? 0 : Math.floor((barWidth * done) / items.length);
  const waiting = items.filter(one => !one.isDone).map(describe);
  const line = `[${'='.repeat(filled).padEnd(barWidth)}] ${done}/${items.length}  ${waiting.join(', ')}`.trimEnd();
  return line.length <= maxLine ? line : `${line.slice(0, maxLine - 1)}…`;
}

function plainLines({ err }: Sink): Progress {
  const said = new Map<string, string>();
  return {
    show(items) {
      const done = items.filter(one => one.isDone).length;
      for (const item of items) {
        if (said.get(item.name) === item.state) continue;
        said.set(item.name, item.state);
        err(`${describe(item)}${item.isDone ? ` (${done}/${items.length})` : ''}\n`);
      }
    },
    clear() {},
    [Symbol.dispose]() {},
  };
}

const describe = ({ name, state }: ProgressItem): string => visibleLine(`${name}: ${state}`);
