import { rolledOutCondition, type RolloutState } from '../../api/rollout.ts';
import { findEntry, revisionFor } from '../../core/rollouts/cluster-states.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf } from '../../runtime/key.ts';
import { hubItself } from './cluster-of.ts';
import { effectiveProvider, onlyPlans } from './effective-config.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSpec } from './kinds/service-spec.ts';
import { hubTarget } from './owned-sets.ts';
import { noServices, revisionOf, type RolloutRevisions } from './rollout-revisions.ts';

/** What a cluster has of a MultiClusterService while that is rolled out. */
export interface RolloutShare {
  /** Undefined: it is left as it is. */
  readonly serviceSpec: ServiceSpec | undefined;
  /** Why that is not what the MultiClusterService says. */
  readonly behind?: { readonly reason: string; readonly message: string };
}

/** What rollouts call a cluster. */
export const rolloutName = (target: string): string => (target === hubTarget ? `${hubItself.namespace}/${hubItself.name}` : target);

export type ShareOf = (mcs: MultiClusterService, target: string) => RolloutShare;

/** Without rollouts: all that the MultiClusterService says. */
export const wholeShare: ShareOf = ({ spec }) => ({ serviceSpec: spec.serviceSpec ?? noServices });

/** What a cluster should have: all that the MultiClusterService says, or what its rollout has decided so far. */
export function rolloutShares(all: Informer<MultiClusterService>, revisions: Pick<RolloutRevisions, 'find'>): ShareOf {
  return (mcs, target) => {
    const { rollout, serviceSpec = noServices } = mcs.spec;
    // A plan changes nothing on clusters, so that there is nothing to do wave by wave.
    if (!rollout || onlyPlans(effectiveProvider(serviceSpec))) return { serviceSpec };
    const state = all.get(keyOf(mcs))?.status?.rollout;
    if (!state) return { serviceSpec: undefined, behind: { reason: 'RolloutPending', message: 'the rollout has not begun yet' } };
    const wanted = revisionOf(mcs);
    const name = rolloutName(target);
    const revision = revisionFor(state, name);
    if (revision === wanted) return { serviceSpec };
    const behind = { reason: reasonOf(state, name), message: behindMessage(state, { name, revision, wanted }) };
    return { serviceSpec: revision === undefined ? undefined : revisions.find(mcs, revision), behind };
  };
}

function reasonOf(state: RolloutState, name: string): string {
  const entry = findEntry(state, name);
  if (entry?.state === 'Deferred' || entry?.state === 'Skipped') return `Rollout${entry.state}`;
  return state.rollbackTo === undefined ? 'RolloutPending' : 'RolledBack';
}

function behindMessage(state: RolloutState, about: { name: string; revision: string | undefined; wanted: string }): string {
  const { name, revision, wanted } = about;
  const has = revision === undefined ? 'as it was' : `at revision ${revision}`;
  const wave = state.waves.find(one => one.clusters.some(entry => entry.name === name));
  const { state: how, reason } = findEntry(state, name) ?? {};
  if (how === 'Deferred') return `${has}: ${reason === 'Held' ? 'held' : 'not ready when its turn came'}`;
  if (state.rollbackTo !== undefined) return `${has}: revision ${state.revision} was put back`;
  return `${has}: waits for revision ${wanted}${wave ? ` with wave ${wave.name}` : ''}`;
}

/** About which clusters something else is decided, or said, than before. */
export function changedShares(before: RolloutState | undefined, after: RolloutState | undefined): (target: string) => boolean {
  if (!before || !after) return () => before !== after;
  return target => {
    const name = rolloutName(target);
    const isSame = findEntry(before, name)?.state === findEntry(after, name)?.state && before.rollbackTo === after.rollbackTo;
    return !isSame || revisionFor(before, name) !== revisionFor(after, name);
  };
}

/** The object without what the controller of rollouts says on it: that is written by nobody else. */
export function withoutRollout(mcs: MultiClusterService): MultiClusterService {
  if (!mcs.status) return mcs;
  const { rollout: _, ...status } = mcs.status;
  const conditions = status.conditions?.filter(one => one.type !== rolledOutCondition);
  return { ...mcs, status: { ...status, ...(conditions && { conditions }) } };
}
