import { clipped } from '../output/redrawn-lines.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { RunView, ViewRow } from './run-view.ts';

export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

const marks: Readonly<Record<string, string>> = {
  Succeeded: '✔',
  Successful: '✔',
  RolledBack: '↩',
  Failed: '✗',
  TimedOut: '✗',
  RollbackFailed: '✗',
  Aborted: '✗',
  Rejected: '✗',
  Error: '✗',
  Inconclusive: '◷',
  Expired: '✗',
  Running: '▶',
  RollingBack: '◀',
  Soaking: '◷',
  Verifying: '◷',
  Waiting: '◷',
  Deferred: '◷',
  Paused: '‖',
  Skipped: '-',
};
const urgency = ({ state }: ViewRow): number => (/Failed|TimedOut/.test(state) ? 0 : /Running|RollingBack|Soaking/.test(state) ? 1 : 2);

/** A picture of the run that fits the screen: of many clusters those that need a look. */
export function drawRun(view: RunView, { columns, rows }: Screen): string[] {
  const head = [`${view.title}: ${view.phase}`, ...(view.message === '' ? [] : [`  ${view.message}`])];
  const steps = table(view.steps.map(step => [`${mark(step)} ${step.name}`, step.state, step.message]));
  const waves = table(view.waves.map(wave => [`${mark(wave)} wave ${wave.name}`, wave.state]));
  const gates = table(view.gates.map(gate => [`${mark(gate)} gate ${gate.name}`, gate.state, gate.message]));
  const approvals = view.approvals.map(one => `◷ ${one.name} waits for somebody: drover approve ${one.request}`);
  const room = Math.max(3, rows - 2 - head.length - steps.length - waves.length - gates.length - approvals.length);
  const parts = table(fitting(view.parts, room).map(part => [`${mark(part)} ${part.name}`, part.state, part.doing, part.message]));
  return [...head, ...steps, ...waves, ...gates, ...parts, ...approvals].map(line => clipped(visibleLine(line), columns));
}

const mark = ({ state }: ViewRow): string => marks[state] ?? '·';

function fitting(parts: readonly ViewRow[], room: number): readonly ViewRow[] {
  if (parts.length <= room) return parts;
  const shown = parts.toSorted((a, b) => urgency(a) - urgency(b)).slice(0, room - 1);
  return [...shown, { name: `and ${parts.length - shown.length} more`, state: '', doing: '', message: '' }];
}

function table(rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const writer = new TabWriter();
  for (const cells of rows) writer.line(cells.map(cell => visibleLine(cell)).join('\t'));
  return writer
    .flush()
    .split('\n')
    .slice(0, -1)
    .map(line => line.trimEnd());
}
