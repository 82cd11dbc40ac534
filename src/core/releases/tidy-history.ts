import { failpoint } from '../../runtime/failpoint.ts';
import type { Member } from '../delivery/member.ts';
import { recordsToTrim } from './plan-delivery.ts';
import type { ReleaseContext } from './release-input.ts';
import type { ReleaseRecord } from './release-record.ts';
import { deleteRecord, updateRecord } from './release-store.ts';

/** With the last revision deployed: those that were deployed before are superseded, and no more are kept than asked for. */
export async function tidyHistory(member: Member, records: readonly ReleaseRecord[], keep: number, ctx: ReleaseContext): Promise<void> {
  const last = records.at(-1);
  for (const record of records) {
    if (record === last || record.release.status !== 'deployed' || record.problem !== undefined) continue;
    await updateRecord(member, { ...record, release: { ...record.release, status: 'superseded' } }, ctx);
    failpoint('releases.afterSupersede');
  }
  for (const { release } of recordsToTrim(records, keep)) {
    await deleteRecord(member, release, ctx.signal);
    failpoint('releases.afterTrim');
  }
}
