import { diff } from 'node:util';
import { printJson } from '../../src/util/json.ts';

export interface StepDifference {
  readonly title: string;
  readonly text: string;
}

/** The steps whose normalised outcomes differ, as readable diffs: `-` is the reference, `+` the server under test. */
export function compareOutcomes(
  reference: readonly Record<string, unknown>[],
  tested: readonly Record<string, unknown>[],
): StepDifference[] {
  const differences: StepDifference[] = [];
  reference.forEach((expected, i) => {
    const actual = tested[i] ?? { missing: true };
    const left = printJson(expected, 2);
    const right = printJson(actual, 2);
    if (left !== right) differences.push({ title: `step ${i + 1}: ${String(expected['title'])}`, text: lineDiff(left, right) });
  });
  return differences;
}

const contextLines = 3;
const maxLines = 120;

export function lineDiff(left: string, right: string): string {
  // util.diff gives 1 for what only the first has, -1 for what only the second has.
  const entries = diff(left.split('\n'), right.split('\n')).map(([side, line]) => ({
    mark: side === 0 ? ' ' : side === 1 ? '-' : '+',
    line,
  }));
  const near = entries.map((_, i) => entries.slice(Math.max(0, i - contextLines), i + contextLines + 1).some(e => e.mark !== ' '));
  const lines: string[] = [];
  entries.forEach(({ mark, line }, i) => {
    if (near[i]) lines.push(`${mark} ${line.length > 400 ? line.slice(0, 400) + '…' : line}`);
    else if (lines.at(-1) !== '  …') lines.push('  …');
  });
  return lines.length <= maxLines
    ? lines.join('\n')
    : [...lines.slice(0, maxLines), `  … ${lines.length - maxLines} lines more`].join('\n');
}
