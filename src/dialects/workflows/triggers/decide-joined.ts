import type { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import type { Trigger } from '../kinds/trigger.ts';
import type { ArtifactChoice, WorkflowRun } from '../kinds/workflow-run.ts';
import type { RunSnapshot } from '../inputs/run-snapshot.ts';
import type { ReleaseFacts } from './release-facts.ts';
import { seenOf, type TriggerDecision } from './trigger-decision.ts';

type Matched = NonNullable<NonNullable<InfrastructureDefinition['status']>['matched']>;

export interface JoinedFacts extends ReleaseFacts {
  readonly infrastructure: InfrastructureDefinition | undefined;
}

type Seen = {
  about: string;
  /** Those that match and are looked after. */
  ids: string[];
  /** Counts the starts. */
  round: number;
  /** For whom something is to be started: written before it is, so that a hub that died meanwhile starts the same and no other. */
  starting?: string[];
};

/** One start for all clusters that match now and did not before, with what was last released. */
export function decideJoined({ spec, status }: Pick<Trigger, 'spec' | 'status'>, facts: JoinedFacts): TriggerDecision {
  const { infrastructure, release, isUnderWay, served } = facts;
  const { infrastructureRef } = spec.condition;
  const about = `ClusterJoined ${infrastructureRef}`;
  const seen = seenOf<Seen>(status?.seen, about);
  const matched = isKnown(infrastructure) ? infrastructure?.status?.matched : undefined;
  if (!matched) {
    const message = infrastructure
      ? 'The clusters of the infrastructure are not known yet'
      : `There is no InfrastructureDefinition "${infrastructureRef}"`;
    return { starts: [], seen: seen ?? {}, message };
  }
  const ids = matched.map(one => one.id);
  if (!seen) return { starts: [], seen: { about, ids, round: 0 } };
  // Behind a run for all clusters it would put back what that run brings.
  const mayStart = release !== undefined && !isUnderWay;
  const message = release ? 'Waits for the end of a run for all clusters' : 'Nothing was released yet';
  if (seen.starting && release) {
    if (isUnderWay) return { starts: [], seen, message };
    const decision = startFor(seen, seen.starting, { infrastructureRef, matched, release });
    return seen.starting.every(id => served.has(id)) ? { ...decision, starts: [] } : decision;
  }
  const had = new Set(seen.ids);
  const fresh = matched.filter(one => !had.has(one.id) && !served.has(one.id));
  // Those that are not ready yet, and those for which there is nothing yet, or soon something newer, are looked at again.
  const joining = mayStart ? fresh.filter(one => one.ready) : [];
  const waiting = new Set(fresh.filter(one => !joining.includes(one)).map(one => one.id));
  const kept = ids.filter(id => !waiting.has(id) && !joining.some(one => one.id === id));
  const next = { about, ids: kept, round: seen.round };
  if (joining.length > 0) return { starts: [], seen: { ...next, starting: joining.map(one => one.id) } };
  return { starts: [], seen: next, ...(fresh.length > 0 && !mayStart && { message }) };
}

/** Before a provider was asked, nobody knows. */
const isKnown = (infrastructure: InfrastructureDefinition | undefined): boolean =>
  infrastructure?.status?.conditions?.some(one => one.type === 'Resolved' && one.status === 'Unknown') !== true;

function startFor(
  { about, ids, round }: Seen,
  starting: readonly string[],
  { infrastructureRef, matched, release }: { infrastructureRef: string | undefined; matched: Matched; release: WorkflowRun },
): TriggerDecision {
  const nameOf = (id: string) => matched.find(one => one.id === id)?.name ?? id;
  return {
    starts: [
      {
        occasion: `clusters ${round} ${starting.toSorted().join(' ')}`,
        payload: { clusters: starting.map(nameOf).join(',') },
        clusters: starting,
        ...(infrastructureRef !== undefined && { infrastructure: infrastructureRef }),
        ...releasedWith(release),
      },
    ],
    seen: { about, ids: [...ids, ...starting], round: round + 1 },
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
