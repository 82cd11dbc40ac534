import { errorText } from '../../util/error-text.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import type { OpenRecord } from './open-record.ts';
import { deedOf } from './perform-revision.ts';

const titles = { install: 'Release', upgrade: 'Upgrade', rollback: 'Rollback' } as const;

/** Writes on the record that the revision failed, and why, in the words of Helm. */
export async function failRevision(open: OpenRecord, error: unknown, { mustUndo }: { readonly mustUndo: boolean }): Promise<void> {
  const failure = errorText(error);
  const description = `${titles[deedOf(open.release)]} "${open.release.name}" failed: ${failure}`;
  await open.change({ status: 'failed', description }, { failure, ...(mustUndo && { mustUndo }) });
  failpoint('releases.afterFailed');
}
