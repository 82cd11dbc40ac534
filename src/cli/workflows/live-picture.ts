import { mayRedraw, redrawnLines } from '../output/redrawn-lines.ts';
import type { Terminal } from '../terminal.ts';
import { drawRun } from './draw-run.ts';
import type { RunView } from './run-view.ts';
import { tellChanges } from './tell-changes.ts';

export interface LivePicture {
  show(view: RunView): void;
  /** What was shown last stays. */
  end(): void;
}

const redrawMs = 100;

/** A picture that is drawn over itself where a person looks on, and lines that are added where a file does. */
export function livePicture(terminal: Terminal, tellsFirst = true): LivePicture {
  return mayRedraw(terminal) ? redrawn(terminal) : appended(terminal, tellsFirst);
}

function appended(terminal: Terminal, tellsFirst: boolean): LivePicture {
  let before: RunView | undefined;
  return {
    show(view) {
      if (before || tellsFirst) for (const line of tellChanges(before, view)) terminal.out(`${line}\n`);
      before = view;
    },
    end() {},
  };
}

function redrawn(terminal: Terminal): LivePicture {
  const drawn = redrawnLines(terminal);
  let latest: RunView | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    show(view) {
      latest = view;
      timer ??= setTimeout(draw, redrawMs);
    },
    end() {
      clearTimeout(timer);
      draw();
    },
  };

  function draw(): void {
    timer = undefined;
    if (!latest) return;
    const { columns = 80, rows = 24 } = process.stdout;
    drawn.draw(drawRun(latest, { columns, rows }));
  }
}
