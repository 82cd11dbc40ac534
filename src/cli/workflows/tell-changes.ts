import { visibleLine } from '../output/visible-text.ts';
import type { RunView, ViewRow } from './run-view.ts';

/** What is new since the last look, one line each: what a log of a pipeline should show. */
export function tellChanges(before: RunView | undefined, now: RunView): string[] {
  return [
    ...changed('step', before?.steps ?? [], now.steps, ({ doing, name }) => `${doing}/${name}`),
    ...changed('cluster', before?.parts ?? [], now.parts, ({ name }) => name),
    ...changed('wave', before?.waves ?? [], now.waves, ({ name }) => name).filter(line => !line.endsWith(': Pending')),
    ...changed('gate', before?.gates ?? [], now.gates, ({ name }) => name),
    ...now.approvals
      .filter(one => !before?.approvals.some(other => other.request === one.request))
      .map(one => `${one.name} waits for somebody: drover approve ${one.request}`),
    ...(before?.phase === now.phase && before.message === now.message ? [] : [`run: ${now.phase}${because(now.message)}`]),
  ].map(visibleLine);
}

/** Rows that occur more than once, such as a step of two phases, are told apart by their order. */
function changed(what: string, before: readonly ViewRow[], now: readonly ViewRow[], keyOf: (row: ViewRow) => string): string[] {
  const said = new Map(numbered(before, keyOf).map(([key, row]) => [key, lineOf(what, row)]));
  return numbered(now, keyOf)
    .map(([key, row]) => ({ old: said.get(key), line: lineOf(what, row) }))
    .filter(({ old, line }) => old !== line && !(old === undefined && line.endsWith(': Pending')))
    .map(({ line }) => line);
}

function numbered(rows: readonly ViewRow[], keyOf: (row: ViewRow) => string): [string, ViewRow][] {
  const seen = new Map<string, number>();
  return rows.map(row => {
    const key = keyOf(row);
    const number = (seen.get(key) ?? 0) + 1;
    seen.set(key, number);
    return [`${key} ${number}`, row];
  });
}

function lineOf(what: string, { name, state, doing, message }: ViewRow): string {
  if (what === 'cluster') return `${what} ${name}: ${doing === '' ? '' : `${doing}: `}${state}${because(message)}`;
  return `${what} ${name}: ${state}${because(message)}`;
}

const because = (message: string): string => (message === '' ? '' : ` (${message})`);
