import { findCondition } from '../../api/conditions.ts';
import { workConditions, workReasons, type Work } from '../../api/work.ts';
import type { Happening } from '../../runtime/event-recorder.ts';

/** What people want to hear of when it begins, though nobody failed at anything. Failures are told by those who fail. */
const news: Readonly<Record<string, Happening['type']>> = {
  [workReasons.unhealthy]: 'Warning',
  [workReasons.timedOut]: 'Warning',
  [workReasons.drifted]: 'Warning',
  [workReasons.outranked]: 'Normal',
};

/** What there is to tell when a Work gets another status: that it is ready, or why it is not any more. */
export function readinessNews(work: Work, status: NonNullable<Work['status']>): Omit<Happening, 'action'> | undefined {
  const was = findCondition(work, workConditions.ready);
  const now = findCondition({ status }, workConditions.ready);
  if (!now || (was?.status === now.status && was.reason === now.reason)) return undefined;
  const { reason, message } = now;
  if (now.status === 'True') return was?.status === 'True' ? undefined : { type: 'Normal', reason, note: message };
  const type = news[reason];
  return type && { type, reason, note: message };
}
