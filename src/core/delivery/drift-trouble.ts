import { errorText } from '../../util/error-text.ts';
import { refText } from './object-ref.ts';
import type { DriftState } from './watch-drift.ts';

/** Why drift stays though it is to be put right, in words that do not change by themselves. Undefined when nothing keeps it. */
export function driftTrouble({ failures, fights }: DriftState): string | undefined {
  const [failure] = failures;
  if (failure) return `it cannot be put right: ${errorText(failure.error)}`;
  const [fight] = fights;
  if (!fight) return undefined;
  const who = fight.manager === undefined ? 'somebody' : `"${fight.manager}"`;
  return `${who} changes ${refText(fight.object)} back each time, and corrections wait longer and longer`;
}
