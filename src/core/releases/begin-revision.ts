import { workReasons } from '../../api/work.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Member } from '../delivery/member.ts';
import type { HelmRelease } from './helm-release.ts';
import { OpenRecord } from './open-record.ts';
import type { ReleaseContext } from './release-input.ts';
import type { Progress, ReleaseRecord } from './release-record.ts';
import { createRecord, updateRecord } from './release-store.ts';

/**
 * A revision that another program has not finished may still be worked on by it: nobody can tell. Helm refuses for ever; here it is refused for as
 * long as Helm would wait, and taken over then.
 */
export function refuseWhileOthersWork({ release, progress }: ReleaseRecord, { timeoutMs, now }: { timeoutMs: number; now: Date }): void {
  if (progress !== undefined) return;
  const since = Date.parse(release.deletedAt ?? release.lastDeployedAt ?? '');
  if (Number.isNaN(since) || now.getTime() - since > timeoutMs) return;
  const words = `another operation (install/upgrade/rollback) is in progress: revision ${release.revision} is ${release.status}, by another program; it is taken over when it does not end within ${timeoutMs / 1000} s`;
  throw new DeliveryError(workReasons.delivering, words);
}

/** Says of a revision that was left half done that it will not be finished. Answers what was found, for people. */
export async function abandonRevision(member: Member, record: ReleaseRecord, successor: number, ctx: ReleaseContext): Promise<string> {
  const { revision, status } = record.release;
  const whose = record.progress === undefined ? 'another program' : 'an earlier delivery';
  const found = `revision ${revision} was left ${status} by ${whose}`;
  if (record.problem === undefined) {
    const description = `Abandoned: ${found}, revision ${successor} takes over`;
    await updateRecord(member, { ...record, release: { ...record.release, status: 'failed', description } }, ctx);
  }
  failpoint('releases.afterTakeOver');
  return found;
}

/** Writes a new pending revision: from here on the release is ours to finish, in this process or the next. */
export async function beginRevision(
  member: Member,
  release: HelmRelease,
  { progress, ctx, createNamespace }: { readonly progress: Progress; readonly ctx: ReleaseContext; readonly createNamespace: boolean },
): Promise<OpenRecord> {
  failpoint('releases.beforeRecord');
  const record = await createRecord(member, { release, progress }, ctx, { createNamespace });
  failpoint('releases.afterRecord');
  return new OpenRecord(member, record, ctx);
}
