import { isPending } from './helm-release.ts';
import type { ReleaseRecord } from './release-record.ts';

/** What to do about a release, given its revisions and what is to be delivered. */
export type DeliveryPlan =
  /** It is deployed. */
  | { readonly type: 'unchanged'; readonly record: ReleaseRecord }
  /** The same was begun before. */
  | { readonly type: 'continue'; readonly record: ReleaseRecord }
  /** The same was begun before, failed, and is to be undone first. */
  | { readonly type: 'undo'; readonly failed: ReleaseRecord; readonly undoing: ReleaseRecord | undefined }
  | {
      readonly type: 'begin';
      readonly revision: number;
      readonly isUpgrade: boolean;
      /** A revision that was left half done, by us for other inputs or by another program. */
      readonly abandoned: ReleaseRecord | undefined;
    };

/** `records` are all revisions, oldest first. */
export function planDelivery(records: readonly ReleaseRecord[], inputs: string): DeliveryPlan {
  const last = records.at(-1);
  if (!last) return { type: 'begin', revision: 1, isUpgrade: false, abandoned: undefined };
  const { status, revision } = last.release;
  const isSame = last.progress?.inputs === inputs;
  if (isSame && status === 'deployed') return { type: 'unchanged', record: last };
  if (isSame && isPending(status) && last.progress.undoes === undefined) return { type: 'continue', record: last };
  const failed = isSame && last.progress.mustUndo ? last : undoneBy(last, records, inputs);
  if (failed) return { type: 'undo', failed, undoing: failed === last ? undefined : last };

  const isHalfDone = isPending(status) || status === 'uninstalling';
  return { type: 'begin', revision: revision + 1, isUpgrade: wasDeployed(records), abandoned: isHalfDone ? last : undefined };
}

/** The revision with these inputs that the last one takes back, as long as nobody was told that it is done. */
function undoneBy(last: ReleaseRecord, records: readonly ReleaseRecord[], inputs: string): ReleaseRecord | undefined {
  if (last.progress?.undoes === undefined) return undefined;
  const { undoes } = last.progress;
  return records.find(({ release, progress }) => release.revision === undoes && progress?.inputs === inputs && progress.mustUndo);
}

/**
 * Whether the release has ever been there. Helm takes every revision after the first for an upgrade; then hooks of the installation that
 * failed the first time would never run.
 */
function wasDeployed(records: readonly ReleaseRecord[]): boolean {
  return presentRecords(records).some(({ release: { status } }) => status === 'deployed' || status === 'superseded');
}

/** Revisions since the release was last uninstalled. */
function presentRecords(records: readonly ReleaseRecord[]): readonly ReleaseRecord[] {
  return records.slice(records.findLastIndex(({ release }) => release.status === 'uninstalled') + 1);
}

const having = (records: readonly ReleaseRecord[], status: string): ReleaseRecord | undefined =>
  records.findLast(({ release }) => release.status === status);

/** The revision to go back to: the last one deployed, or else the last that was. */
export function lastGood(records: readonly ReleaseRecord[]): ReleaseRecord | undefined {
  const present = presentRecords(records);
  return having(present, 'deployed') ?? having(present, 'superseded');
}

/** Every revision that may have left objects on the member: the last that was there as a whole, and what was tried after it. */
export function revisionsOnMember(records: readonly ReleaseRecord[]): readonly ReleaseRecord[] {
  const present = presentRecords(records);
  const base = having(present, 'deployed') ?? having(present, 'uninstalling') ?? having(present, 'superseded');
  return base ? present.slice(present.indexOf(base)) : present;
}

/** Which revisions to delete so that `keep` are left: oldest first, never the newest and never the deployed one. */
export function recordsToTrim(records: readonly ReleaseRecord[], keep: number): readonly ReleaseRecord[] {
  const deployed = records.findLast(({ release }) => release.status === 'deployed');
  const removable = records.filter(record => record !== deployed && record !== records.at(-1));
  return removable.slice(0, Math.max(0, records.length - keep));
}
