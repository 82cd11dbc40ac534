import type { ClusterEntry, ClusterState, RolloutState } from '../../api/rollout.ts';

type States = ReadonlySet<ClusterState>;

/** Those to whom the new revision was given. */
const started: States = new Set(['Running', 'Soaking', 'Succeeded', 'Failed', 'TimedOut']);
const puttingBack: States = new Set(['RollingBack', 'RolledBack', 'RollbackFailed']);
const failed: States = new Set(['Failed', 'TimedOut']);
/** Those whose service may be away because of the rollout. One that soaks and is unhealthy becomes Failed. */
const unavailable: States = new Set(['Running', 'RollingBack', 'Failed', 'TimedOut', 'RollbackFailed']);
/** Those for whom a wave need not wait. */
const settled: States = new Set([
  'Deferred',
  'Soaking',
  'Succeeded',
  'Failed',
  'TimedOut',
  'Skipped',
  'RolledBack',
  'RollbackFailed',
  'Aborted',
]);

export const hasFailed = ({ state }: ClusterEntry): boolean => failed.has(state);
export const isUnavailable = ({ state }: ClusterEntry): boolean => unavailable.has(state);
export const isSettled = ({ state }: ClusterEntry): boolean => settled.has(state);

export const entriesOf = ({ waves }: RolloutState): ClusterEntry[] => waves.flatMap(wave => wave.clusters);

/** Nobody watches any more whether they stay well. */
export function endSoaks(state: RolloutState): void {
  for (const wave of state.waves) delete wave.soakUntil;
  for (const entry of entriesOf(state)) if (entry.state === 'Soaking') Object.assign(entry, { state: 'Succeeded', reason: 'SoakCutShort' });
}

/** The revision that a cluster of the rollout should have; undefined when it is left as it is. */
export function revisionOfEntry(entry: ClusterEntry, { revision, verified, rollbackTo }: RolloutState): string | undefined {
  if (entry.revision !== undefined) return entry.revision === '' ? undefined : entry.revision;
  if (started.has(entry.state)) return revision;
  return puttingBack.has(entry.state) ? rollbackTo : verified;
}

/** Whether a cluster was given the new revision and not put back. */
export const hasRevision = (entry: ClusterEntry, state: RolloutState): boolean => revisionOfEntry(entry, state) === state.revision;

const byName = new WeakMap<RolloutState, ReadonlyMap<string, ClusterEntry>>();

/** How far a cluster is, in a state that does not change any more. */
export function findEntry(state: RolloutState, name: string): ClusterEntry | undefined {
  let known = byName.get(state);
  if (!known) byName.set(state, (known = new Map(entriesOf(state).map(entry => [entry.name, entry]))));
  return known.get(name);
}

/** The revision that any cluster should have. One that is not part of the rollout gets what is verified. */
export function revisionFor(state: RolloutState, name: string): string | undefined {
  const entry = findEntry(state, name);
  return entry ? revisionOfEntry(entry, state) : (state.rollbackTo ?? state.verified);
}

/** All revisions that some cluster has, should have, or may have to go back to. */
export function revisionsIn(state: RolloutState): Set<string> {
  const named = [state.revision, state.verified, state.previous, state.rollbackTo, ...entriesOf(state).map(entry => entry.revision)];
  return new Set(named.flatMap(one => (one === undefined || one === '' ? [] : [one])));
}
