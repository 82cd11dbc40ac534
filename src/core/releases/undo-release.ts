import { StatusError } from '../../api/status.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import type { Member } from '../delivery/member.ts';
import { OpenRecord } from './open-record.ts';
import { lastGood } from './plan-delivery.ts';
import { isPassing, ReleaseError } from './release-error.ts';
import type { ReleaseContext } from './release-input.ts';
import type { ReleaseOptions } from './release-options.ts';
import type { ReleaseRecord } from './release-record.ts';
import { finishRollback, rollBackTo } from './rollback-release.ts';
import { updateRecord } from './release-store.ts';
import { tidyHistory } from './tidy-history.ts';
import { uninstallRecords } from './uninstall-release.ts';

interface UndoDeps {
  readonly failed: ReleaseRecord;
  /** The rollback that an earlier process began, and perhaps brought to its end. */
  readonly undoing: ReleaseRecord | undefined;
  /** All revisions, oldest first. */
  readonly records: readonly ReleaseRecord[];
  readonly options: ReleaseOptions;
  readonly ctx: ReleaseContext;
  /** Why it failed. */
  readonly cause: unknown;
}

/** Takes back a revision that failed: to the last good one, or away when there was none. Throws always: what was asked for is not there. */
export async function undoRelease(member: Member, deps: UndoDeps): Promise<never> {
  const { failed, undoing, records, options, ctx, cause } = deps;
  const { name, revision } = failed.release;
  const good = lastGood(records);
  const undone = good ? 'RolledBack' : 'Uninstalled';
  try {
    if (undoing?.release.status === 'deployed') await tidyHistory(member, records, options.history, ctx);
    else if (undoing) await finishRollback(member, new OpenRecord(member, undoing, ctx), { records: records.slice(0, -1), options, ctx });
    else if (good) await rollBackTo(member, good, { records, options, ctx, undoes: revision });
    else await uninstallRecords(member, records, { ...options, keepHistory: false }, ctx);
  } catch (error) {
    if (isPassing(error, ctx.signal)) throw error;
    const words = good
      ? 'an error occurred while rolling back the release. original upgrade error'
      : 'an error occurred while uninstalling the release. original install error';
    throw new ReleaseError(words, { revision, cause: new AggregateError([cause, error]) });
  }
  if (good) await sayUndone(member, failed, ctx);
  failpoint('releases.afterUndo');
  const how = good ? 'rolled back' : 'uninstalled';
  throw new ReleaseError(`release ${name} failed, and has been ${how} due to rollback-on-failure being set`, { revision, undone, cause });
}

/** From now on the same inputs are a new try. */
async function sayUndone(member: Member, failed: ReleaseRecord, ctx: ReleaseContext): Promise<void> {
  const { mustUndo: _, ...progress } = failed.progress!;
  try {
    await updateRecord(member, { ...failed, progress }, ctx);
  } catch (error) {
    // Few revisions are kept, and it was none of them.
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}
