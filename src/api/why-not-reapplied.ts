import type { Work } from './work.ts';

/** Why a Work cannot be applied again now, for people. Undefined when it can. */
export function whyNotReapplied({ metadata, spec, status }: Work): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (spec.suspend === true) return 'it is suspended';
  if (spec.sync === 'DryRun') return 'it only tells what it would do';
  if (spec.sync === 'Once') return 'its spec.sync is Once: it is delivered when it is new, and never again';
  if (status?.outrankedBy) return `it is outranked by ${status.outrankedBy.work}, which has the release`;
  return undefined;
}

/** What has a Work applied again, for a merge patch: a text that it did not have before. */
export const reapplyPatch = (now: Date) => ({ spec: { options: { again: `reapply/${now.toISOString()}` } } });
