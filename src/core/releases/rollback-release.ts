import type { Member } from '../delivery/member.ts';
import { abandonRevision, beginRevision, refuseWhileOthersWork } from './begin-revision.ts';
import { failRevision } from './fail-revision.ts';
import { isPending, recordedApplyMethod } from './helm-release.ts';
import type { OpenRecord } from './open-record.ts';
import { outcomeOf } from './outcome-of.ts';
import { performRevision } from './perform-revision.ts';
import { isPassing, ReleaseError } from './release-error.ts';
import type { ReleaseContext, ReleaseOutcome } from './release-input.ts';
import type { ReleaseOptions } from './release-options.ts';
import type { ReleaseRecord } from './release-record.ts';

interface RollbackDeps {
  /** All revisions, oldest first. */
  readonly records: readonly ReleaseRecord[];
  readonly options: ReleaseOptions;
  readonly ctx: ReleaseContext;
  /** The revision that failed, when this undoes it. */
  readonly undoes?: number;
}

/** Makes what an earlier revision was the next one, as `helm rollback`. */
export async function rollBackTo(member: Member, target: ReleaseRecord, deps: RollbackDeps): Promise<ReleaseOutcome> {
  const { records, options, ctx, undoes } = deps;
  const last = records.at(-1)!;
  const revision = last.release.revision + 1;
  const isHalfDone = isPending(last.release.status) || last.release.status === 'uninstalling';
  if (isHalfDone) {
    refuseWhileOthersWork(last, { timeoutMs: options.timeoutMs, now: ctx.now() });
    await abandonRevision(member, last, revision, ctx);
  }
  const { deletedAt: _, ...release } = target.release;
  const open = await beginRevision(
    member,
    {
      ...release,
      ...(last.release.firstDeployedAt !== undefined && { firstDeployedAt: last.release.firstDeployedAt }),
      lastDeployedAt: ctx.now().toISOString(),
      revision,
      status: 'pending-rollback',
      description: `Rollback to ${target.release.revision}`,
      rollbackRevision: target.release.revision,
      hooks: release.hooks.map(hook => ({ ...hook, lastRun: { phase: '' } })),
      applyMethod: recordedApplyMethod,
    },
    {
      progress: { inputs: target.progress?.inputs ?? '', attempt: 1, ended: [], ...(undoes !== undefined && { undoes }) },
      ctx,
      createNamespace: options.createNamespace,
    },
  );
  return finishRollback(member, open, deps);
}

/** Takes a pending rollback to its end. */
export async function finishRollback(member: Member, open: OpenRecord, { records, options, ctx }: RollbackDeps): Promise<ReleaseOutcome> {
  const { revision, status } = open.release;
  ctx.onProgress?.({ revision, status, step: 'RollingBack' });
  try {
    const objects = await performRevision({ member, open, records, options, ctx });
    return outcomeOf(open.release, objects, { isUnchanged: false });
  } catch (error) {
    if (isPassing(error, ctx.signal)) throw error;
    await failRevision(open, error, { mustUndo: false });
    throw new ReleaseError(`release ${open.release.name} failed`, { revision, cause: error });
  }
}
