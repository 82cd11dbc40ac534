import type { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import type { Trigger } from '../kinds/trigger.ts';
import type { ArtifactChoice, WorkflowRun } from '../kinds/workflow-run.ts';
import type { RunSnapshot } from '../inputs/run-snapshot.ts';
import { seenOf, type TriggerDecision } from './trigger-decision.ts';

export interface JoinedFacts {
  readonly infrastructure: InfrastructureDefinition | undefined;
  /** The newest run of the workflow on this infrastructure that succeeded. */
  readonly release: WorkflowRun | undefined;
}

/** One start for all clusters that match now and did not before, with what was last released. */
export function decideJoined(
  { spec, status }: Pick<Trigger, 'spec' | 'status'>,
  { infrastructure, release }: JoinedFacts,
): TriggerDecision {
  const { infrastructureRef } = spec.condition;
  const about = `ClusterJoined ${infrastructureRef}`;
  const seen = seenOf<{ about: string; ids: string[]; round: number }>(status?.seen, about);
  const matched = infrastructure?.status?.matched;
  if (!matched) {
    const message = infrastructure
      ? 'The clusters of the infrastructure are not known yet'
      : `There is no InfrastructureDefinition "${infrastructureRef}"`;
    return { starts: [], seen: seen ?? {}, message };
  }
  const ids = matched.map(one => one.id);
  if (!seen) return { starts: [], seen: { about, ids, round: 0 } };
  const had = new Set(seen.ids);
  const covered = new Set((release?.status?.resolvedClusters ?? []).map(one => one.id));
  const fresh = matched.filter(one => !had.has(one.id));
  const joining = fresh.filter(one => one.ready && !covered.has(one.id));
  // Those that are not ready yet, and those for which there is nothing yet, are looked at again.
  const waiting = fresh.filter(one => !covered.has(one.id) && (!one.ready || !release));
  const kept = ids.filter(id => !waiting.some(one => one.id === id));
  const isSame = kept.length === seen.ids.length && kept.every(id => had.has(id));
  const next = { about, ids: kept, round: isSame ? seen.round : seen.round + 1 };
  if (!release || joining.length === 0)
    return { starts: [], seen: next, ...(fresh.length > 0 && !release && { message: 'Nothing was released yet' }) };
  const names = joining.map(one => one.id);
  return {
    starts: [
      {
        occasion: `clusters ${seen.round} ${names.toSorted().join(' ')}`,
        payload: { clusters: joining.map(one => one.name).join(',') },
        clusters: names,
        ...(infrastructureRef !== undefined && { infrastructure: infrastructureRef }),
        ...releasedWith(release),
      },
    ],
    seen: next,
  };
}

/** The same variables and versions. */
function releasedWith({ spec, status }: WorkflowRun): { variables?: Record<string, string>; artifacts?: ArtifactChoice[] } {
  const snapshot = status?.snapshot as unknown as RunSnapshot | undefined;
  const artifacts = Object.values(snapshot?.services ?? {}).flatMap(({ name, artifact }) =>
    artifact && (artifact.tag !== undefined || artifact.digest !== undefined)
      ? [
          {
            service: name,
            artifact: artifact.name,
            ...(artifact.tag !== undefined && { tag: artifact.tag }),
            ...(artifact.digest !== undefined && { digest: artifact.digest }),
          },
        ]
      : [],
  );
  return { ...(spec.variables && { variables: spec.variables }), ...(artifacts.length > 0 && { artifacts }) };
}
