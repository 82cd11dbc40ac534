import { findCondition } from '../../api/conditions.ts';
import { workConditions, workReasons, type Work } from '../../api/work.ts';

/** Whether waiting for a Work is over, and what to say. */
export type Judgement =
  | { readonly is: 'done' }
  | { readonly is: 'waiting'; readonly message: string }
  /** Time alone will not help. */
  | { readonly is: 'failed'; readonly message: string };

/** How far the present spec of a Work has come on its member. */
export function judgeWait(work: Work): Judgement {
  const { metadata, status } = work;
  const { generation = 0 } = metadata;
  const ready = findCondition(work, workConditions.ready);
  if (metadata.deletionTimestamp !== undefined) return { is: 'failed', message: 'it is being deleted' };
  if (!ready || (status?.observedGeneration ?? 0) < generation) return { is: 'waiting', message: 'The change has not been looked at yet' };
  if (ready.status === 'True' || ready.reason === workReasons.planned) return { is: 'done' };
  const standsStill: readonly string[] = [workReasons.outranked, workReasons.suspended];
  const isStalled = findCondition(work, workConditions.stalled)?.status === 'True';
  return { is: isStalled || standsStill.includes(ready.reason) ? 'failed' : 'waiting', message: ready.message };
}
