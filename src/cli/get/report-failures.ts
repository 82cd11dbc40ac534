import { memberLine } from '../clusters/member-line.ts';
import { EndWith, exitCodes } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import type { Terminal } from '../terminal.ts';
import { isNotFound, type Collected } from './collect.ts';

export interface Failure {
  readonly cluster: string | undefined;
  readonly error: unknown;
}

/** That one member has no such object is an answer as long as another has it. */
export function failuresOf(
  collected: readonly Collected[],
  { ignoreNotFound, sources }: { readonly ignoreNotFound: boolean; readonly sources: readonly unknown[] },
): Failure[] {
  const isFoundSomewhere = sources.length > 1 && collected.some(({ parts }) => parts.some(({ answers }) => answers.length > 0));
  return collected.flatMap(({ source: { cluster }, errors }) =>
    errors.filter(error => !isNotFound(error, cluster) || !(ignoreNotFound || isFoundSomewhere)).map(error => ({ cluster, error })),
  );
}

/** Says in one line each what did not answer, and ends the command: with 5 when others did. */
export function reportFailures(failures: readonly Failure[], sourceCount: number, terminal: Terminal): void {
  const [first] = failures;
  if (!first) return;
  if (failures.length === 1 && first.cluster === undefined) throw first.error;
  for (const { cluster, error } of failures)
    terminal.err(cluster === undefined ? `${explainError(error).message}\n` : memberLine(cluster, error));
  for (const hint of new Set(failures.map(hintOf))) if (hint !== undefined) terminal.err(`  ${hint}\n`);
  const failed = new Set(failures.map(({ cluster }) => cluster)).size;
  throw new EndWith(sourceCount > 1 && failed < sourceCount ? exitCodes.partial : exitCodes.error);
}

/** Objects of a member are listed on that member. */
function hintOf({ cluster, error }: Failure): string | undefined {
  const { hint } = explainError(error);
  return cluster === undefined ? hint : hint?.replace(/^"drover get (?!clusters")([^"]+)"/, `"drover get $1 -C ${cluster}"`);
}
