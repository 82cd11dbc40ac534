import type { PlannedObject, PlannedRelease, Work } from '../../api/work.ts';
import { priorityOf } from './claims.ts';

export interface PlanFacts {
  readonly work: Work;
  /** The claim that has what is planned for, or the highest on one of its objects. */
  readonly holder: Work | undefined;
  readonly plan: readonly PlannedObject[];
  /** Name and version of the chart that is on the member, and of the one that would be. */
  readonly present?: string | undefined;
  readonly chart?: string | undefined;
}

/** What a delivery would come to. A claim that has the release keeps it unless it has less priority. */
export function planRelease({ work, holder, plan, present, chart }: PlanFacts): PlannedRelease {
  const claim = holder && { work: holder.metadata.name!, priority: priorityOf(holder) };
  const keepsIt = claim !== undefined && claim.priority >= priorityOf(work);
  return {
    action: keepsIt ? 'Conflict' : actionOf(plan, present, chart),
    ...(chart !== undefined && { chart }),
    ...(present !== undefined && { present }),
    ...(claim && { claim }),
  };
}

function actionOf(plan: readonly PlannedObject[], present: string | undefined, chart: string | undefined): PlannedRelease['action'] {
  const isNew = chart === undefined ? plan.every(({ action }) => action === 'Create') : present === undefined;
  if (isNew) return 'Install';
  if (present !== chart) return 'Upgrade';
  if (plan.every(({ action }) => action === 'Keep')) return 'None';
  return chart === undefined ? 'Upgrade' : 'UpdateValues';
}
