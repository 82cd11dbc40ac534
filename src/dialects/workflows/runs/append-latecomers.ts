import type { Draft } from './run-step.ts';

/** Clusters that begin to match while the run goes on join its last wave, where the rollout says so. What was resolved stays as it is. */
export function appendLatecomers(draft: Draft): void {
  const { status, rollout, input } = draft;
  const last = status.waves?.at(-1);
  if (rollout.latecomers !== 'Append' || input.mode === 'Preview' || !last || last.phase === 'Skipped') return;
  // They may have been resolved in this very step.
  const known = new Set(status.resolvedClusters?.map(one => one.id));
  const late = input.seeLatecomers().filter(one => !known.has(one.id));
  if (late.length === 0) return;
  status.resolvedClusters = [...(status.resolvedClusters ?? []), ...late.map(({ id, name }) => ({ id, name }))];
  last.clusters = [...last.clusters, ...late.map(one => one.id)];
}
