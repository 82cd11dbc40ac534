/** One side's word on a test. `left out` comes with a reason, `not run` means that nobody asked. */
export type Verdict = 'passed' | 'failed' | 'left out' | 'not run';

export interface Row {
  readonly test: string;
  readonly real: Verdict;
  readonly sandbox: Verdict;
  /** Why the test is left out, or what it said when it failed on the sandbox. */
  readonly note: string;
}

export interface Sides {
  readonly tests: readonly string[];
  readonly real: ReadonlyMap<string, { state: 'passed' | 'failed' }>;
  readonly sandbox: ReadonlyMap<string, { state: 'passed' | 'failed'; message: string }>;
  readonly leftOut: ReadonlyMap<string, string>;
}

/** The two lists side by side. */
export function compareSides({ tests, real, sandbox, leftOut }: Sides): Row[] {
  return tests.map(test => {
    const ours = sandbox.get(test);
    const reason = leftOut.get(test);
    const verdict = ours?.state ?? (reason === undefined ? 'not run' : 'left out');
    const note = verdict === 'left out' ? (reason ?? '') : verdict === 'failed' ? (ours?.message.split('\n', 1)[0] ?? '') : '';
    return { test, real: real.get(test)?.state ?? 'not run', sandbox: verdict, note };
  });
}

/** A test that passes on the real cluster and not here is a fault of ours, whatever the reason; so is one that fails here unasked there. */
export const isFault = ({ real, sandbox }: Row): boolean =>
  real !== 'failed' && (sandbox === 'failed' || (real === 'passed' && sandbox !== 'passed'));

export function printRows(rows: readonly Row[]): string {
  const line = (real: string, sandbox: string, test: string) => `${real.padEnd(9)} ${sandbox.padEnd(9)} ${test}`;
  const lines = [line('real', 'sandbox', 'test')];
  for (const row of rows) {
    lines.push(line(row.real, row.sandbox, row.test) + (isFault(row) ? '   <-- differs' : ''));
    if (row.note !== '') lines.push(`${' '.repeat(20)}  ${row.note}`);
  }
  const count = (side: 'real' | 'sandbox') =>
    (['passed', 'failed', 'left out', 'not run'] as const)
      .map(verdict => ({ verdict, n: rows.filter(row => row[side] === verdict).length }))
      .filter(({ n }) => n > 0)
      .map(({ verdict, n }) => `${n} ${verdict}`)
      .join(', ');
  return [...lines, '', `real:    ${count('real')}`, `sandbox: ${count('sandbox')}`].join('\n');
}
