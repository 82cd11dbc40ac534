import { Pod } from '../../../api/builtin-kinds.ts';
import { StatusError } from '../../../api/status.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { markKey, type Mark } from '../release/marks.ts';
import type { SeenPod } from '../release/step.ts';
import type { ClusterRunStatus } from './next-cluster-run.ts';
import type { StepContext } from './step-context.ts';

const timeoutMs = 10_000;

/** The pods that a step has brought, as the member shows them. Those that are going are none of them. */
export async function releasePods(
  member: Member,
  { release, settings, grant }: StepContext,
  { blueGreen }: ClusterRunStatus,
  signal: AbortSignal,
): Promise<SeenPod[]> {
  const has = (mark: Mark, value: string) => `${markKey(settings.labelPrefix, mark)}=${value}`;
  const labelSelector = [
    has('release-name', release.name),
    ...(grant.type === 'CanaryDeploy' ? [has('track', 'canary')] : []),
    ...(grant.type === 'StageDeploy' && blueGreen ? [has('color', blueGreen.stageColor)] : []),
  ].join(',');
  const { items } = await member.client.list(Pod, { namespace: release.namespace, labelSelector, signal, timeoutMs }).catch(noneIfRefused);
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, status, spec }) => ({ name: metadata.name ?? '', phase: status?.phase ?? 'Unknown', node: spec?.nodeName ?? '' }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** They only add to what is known. */
function noneIfRefused(error: unknown): { items: Pod[] } {
  if (error instanceof StatusError) return { items: [] };
  throw error;
}
