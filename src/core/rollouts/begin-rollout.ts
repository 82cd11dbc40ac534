import type { ClusterEntry, RolloutState } from '../../api/rollout.ts';
import { revisionFor } from './cluster-states.ts';
import { planWaves } from './plan-waves.ts';
import type { RolloutInput } from './rollout-step.ts';

/** A rollout before its first step: the whole plan is there before anything changes. Clusters stay at what they were last given until their turn. */
export function beginRollout({ spec, revision, before, clusters, now }: RolloutInput): RolloutState {
  const plan = planWaves(clusters, spec);
  const { verified, previous, request } = before ?? {};
  const entry = (name: string): ClusterEntry => {
    const given = before && revisionFor(before, name);
    return { name, state: 'Pending', ...(given !== verified && { revision: given ?? '' }) };
  };
  const waves = plan.waves.map(wave => ({ name: wave.name, phase: 'Pending' as const, clusters: wave.clusters.map(entry) }));
  waves.at(-1)!.clusters.push(...plan.unassigned.map(name => ({ ...entry(name), state: 'Skipped' as const, reason: 'NotSelected' })));
  const isRefused = spec.unassigned === 'Fail' && plan.unassigned.length > 0;
  return {
    revision,
    phase: 'Progressing',
    startedAt: now.toISOString(),
    ...(verified !== undefined && { verified }),
    ...(previous !== undefined && { previous }),
    ...(request !== undefined && { request }),
    ...(isRefused && { breach: { reason: 'UnassignedClusters', message: `no wave selects ${plan.unassigned.slice(0, 3).join(', ')}` } }),
    waves,
  };
}
