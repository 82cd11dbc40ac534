import { Pod } from '../../../api/builtin-kinds.ts';
import { findCondition } from '../../../api/conditions.ts';
import { workConditions, type Work } from '../../../api/work.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { ClusterRun } from '../kinds/cluster-run.ts';
import { markKey } from '../release/marks.ts';
import type { StepContext } from './step-context.ts';

export type Soak = NonNullable<NonNullable<ClusterRun['status']>['soak']>;
type Restarts = Readonly<Record<string, number>>;

export interface SoakSight {
  readonly work: Work | undefined;
  /** How often the containers of pods have restarted; undefined when nobody can tell. */
  readonly restarts: Restarts | undefined;
  readonly now: Date;
}

/** What is known after one more look. A pod that has restarted since the first look is ill for good; what Works tell may pass. */
export function nextSoak(before: Soak | undefined, { work, restarts, now }: SoakSight): Soak {
  const at = timestamp(now);
  const baseline = before?.restarts ?? restarts;
  const kept = { since: before?.since ?? at, ...(baseline && { restarts: { ...baseline } }) };
  const restarted = baseline && restarts ? Object.keys(restarts).filter(pod => restarts[pod]! > (baseline[pod] ?? 0)) : [];
  if (restarted.length > 0) {
    const message = `${restarted.length === 1 ? 'a pod has' : `${restarted.length} pods have`} restarted`;
    return { ...kept, illSince: before?.illSince ?? at, isCertain: true, message };
  }
  const ill = healthOf(work);
  return ill ? { ...kept, illSince: before?.illSince ?? at, ...ill } : kept;
}

/** What nobody knows is no illness. */
function healthOf(work: Work | undefined): Pick<Soak, 'isCertain' | 'message'> | undefined {
  const healthy = findCondition(work, workConditions.healthy);
  if (healthy?.status !== 'False') return undefined;
  const isCertain = work?.status?.objects?.some(({ health }) => health === 'Failed') === true;
  return { message: healthy.message, ...(isCertain && { isCertain }) };
}

/** By the uid of the pod. */
export async function countRestarts(member: Member, { release, settings }: StepContext, signal: AbortSignal): Promise<Restarts> {
  const labelSelector = `${markKey(settings.labelPrefix, 'release-name')}=${release.name}`;
  const { items } = await member.client.list(Pod, { namespace: release.namespace, labelSelector, signal });
  return Object.fromEntries(
    items.map(({ metadata, status }) => [
      metadata.uid ?? '',
      (status?.containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    ]),
  );
}
