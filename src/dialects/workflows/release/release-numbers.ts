import type { ReleaseBook, ReleaseRecord } from './book.ts';
import { withStatus } from './release-record.ts';
import type { StepInput } from './step.ts';

export const recordOf = ({ records }: ReleaseBook, number: number | undefined): ReleaseRecord | undefined =>
  records.find(record => record.number === number);

/** The release that the run has begun on this cluster and nobody has ended: a canary that waits for the primary phase, or a step that was cut short. */
export const openRecordOf = ({ book, run }: Pick<StepInput, 'book' | 'run'>): ReleaseRecord | undefined =>
  book.records.findLast(({ status, runUid }) => status === 'InProgress' && runUid === run.uid);

/** The number of the release that a step deploys. */
export function numberFor(input: Pick<StepInput, 'book' | 'run'>): number {
  return openRecordOf(input)?.number ?? Math.max(0, ...input.book.records.map(({ number }) => number)) + 1;
}

/** The newest release before that one that succeeded. */
export const succeededBefore = ({ records }: ReleaseBook, number: number): ReleaseRecord | undefined =>
  records.findLast(record => record.number < number && record.status === 'Succeeded');

/** Runs that were cut short have left releases that nobody will end. */
export const withoutStale = (records: readonly ReleaseRecord[], number: number): ReleaseRecord[] =>
  records.map(record => (record.status === 'InProgress' && record.number !== number ? withStatus(record, 'Failed') : record));

/** With another one of its number, or one more. */
export const withRecord = (records: readonly ReleaseRecord[], next: ReleaseRecord): ReleaseRecord[] =>
  [...records.filter(({ number }) => number !== next.number), next].sort((a, b) => a.number - b.number);
