import type { Terminal } from '../terminal.ts';

/** Lines that are drawn over themselves, where a person looks on. */
export interface RedrawnLines {
  draw(lines: readonly string[]): void;
  /** Takes them away, to make room for something that stays. */
  clear(): void;
}

export const mayRedraw = ({ isOutputTty, env }: Terminal): boolean => isOutputTty === true && env['TERM'] !== 'dumb';

export function redrawnLines(terminal: Pick<Terminal, 'out'>): RedrawnLines {
  let height = 0;
  let drawn = '';
  const up = () => (height > 0 ? `\u001b[${height}A` : '');
  return {
    draw(lines) {
      const text = lines.map(line => `\u001b[2K${line}\n`).join('');
      if (text === drawn) return;
      terminal.out(`${up()}${text}\u001b[0J`);
      drawn = text;
      height = lines.length;
    },
    clear() {
      if (height > 0) terminal.out(`${up()}\u001b[0J`);
      height = 0;
      drawn = '';
    },
  };
}

/** A line that does not go on below itself. */
export function clipped(line: string, columns: number): string {
  const characters = [...line];
  return characters.length <= columns ? line : `${characters.slice(0, Math.max(1, columns - 1)).join('')}…`;
}
