import { withConditions, type ConditionReport } from '../../api/conditions.ts';
import type { Kind } from '../../api/define-kind.ts';
import { rolledOutCondition, rolloutAnnotations, type RolloutState } from '../../api/rollout.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { nextRollout } from '../../core/rollouts/next-rollout.ts';
import { restRollout } from '../../core/rollouts/rest-rollout.ts';
import { requeue, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import { eventRecorder } from '../../runtime/event-recorder.ts';
import type { Key } from '../../runtime/key.ts';
import { jsonEqual } from '../../util/json.ts';
import { effectiveProvider, onlyPlans } from './effective-config.ts';
import { k0rdentFinalizers } from './kinds/group.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { findFault } from './mcs-faults.ts';
import { isSelfManaged } from './mcs-target-triggers.ts';
import { noServices, revisionOf, type RolloutRevisions } from './rollout-revisions.ts';
import { rolloutName } from './rollout-share.ts';
import { rolloutCluster, seeRevision, type SightDeps } from './rollout-sight.ts';
import { rolloutTriggers, type RolloutTriggersDeps } from './rollout-triggers.ts';
import { targetOf } from './owned-sets.ts';
import { placementSight } from './placement-sight.ts';
import { selectClusters } from './select-clusters.ts';

/** What rollouts need besides. */
export interface RolloutParts extends Pick<SightDeps, 'works'> {
  readonly revisions: RolloutRevisions;
}

export interface RolloutDeps extends RolloutParts, SightDeps, Omit<RolloutTriggersDeps, keyof RolloutParts | keyof SightDeps> {
  readonly hub: KubeClient;
  readonly kind: Kind<MultiClusterService['spec'], NonNullable<MultiClusterService['status']>>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-rollout';
/** What happens on many clusters together is looked at together. */
const restMsOfCluster = 0.2;

/**
 * Decides which clusters of a MultiClusterService with a rollout get which revision, and writes that to its status. Nothing else is done here: whoever keeps
 * the ServiceSets reads the decision from there, so that nothing happens that is not written.
 */
export function runRollouts(deps: RolloutDeps): RunningController {
  const { hub, kind, multiClusterServices, deployments, revisions, known, find, signal } = deps;
  const events = eventRecorder(hub, { controller: 'k0rdent-rollout', signal });
  const sight = placementSight(deps);
  const lastMs = new Map<Key, number>();
  return runController(
    { name: `k0rdent-${kind.resource}-rollout`, reconcile },
    { triggers: rolloutTriggers(deps), signal, concurrency: 4 },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const mcs = multiClusterServices.get(key);
    if (!mcs || mcs.metadata.deletionTimestamp !== undefined) {
      lastMs.delete(key);
      return settled;
    }
    const { rollout: spec } = mcs.spec;
    const before = mcs.status?.rollout;
    if (!spec) return before ? write(mcs, undefined, ctx) : settled;
    const isKept = mcs.metadata.finalizers?.includes(k0rdentFinalizers.multiClusterService) === true;
    if (!isKept || findFault(mcs, known, find)) return settled;
    if (onlyPlans(effectiveProvider(mcs.spec.serviceSpec ?? noServices))) {
      const state = before && restRollout(before);
      return state && !jsonEqual(before, state) ? write(mcs, state, ctx) : settled;
    }
    const targets = new Map(
      [...(isSelfManaged(mcs) ? [undefined] : []), ...selectClusters(mcs, deployments.list(), sight)].map(one => [
        rolloutName(targetOf(one)),
        one,
      ]),
    );
    const restMs = (lastMs.get(key) ?? -Infinity) + targets.size * restMsOfCluster - performance.now();
    if (restMs > 1) return requeue(restMs);
    lastMs.set(key, performance.now());

    const revision = revisionOf(mcs);
    const step = nextRollout({
      spec,
      revision,
      before,
      clusters: [...targets.values()].map(one => rolloutCluster(one, deps)),
      request: mcs.metadata.annotations?.[rolloutAnnotations.request],
      now: ctx.now,
      see(name, wanted) {
        const serviceSpec = wanted === revision ? (mcs.spec.serviceSpec ?? noServices) : revisions.find(mcs, wanted);
        if (!serviceSpec) return { is: 'underWay', message: `revision ${wanted} is not known any more` };
        return seeRevision(mcs, { deployment: targets.get(name), serviceSpec }, deps);
      },
    });
    if (!jsonEqual(before, step.state)) {
      await revisions.keep(kind, mcs, ctx.signal);
      await write(mcs, step.state, ctx);
      for (const event of step.events) events.record(mcs, { ...event, action: 'Rollout' });
      if (before?.revision !== revision) await revisions.tidy(mcs, step.state, ctx.signal);
    }
    return step.wakeAt ? requeue(Math.max(1, step.wakeAt.getTime() - ctx.now.getTime())) : settled;
  }

  /** Only over what was read: a decision that was made from an older state would be another one. */
  async function write(
    { metadata, status }: MultiClusterService,
    state: RolloutState | undefined,
    { now, signal }: Context,
  ): Promise<Outcome> {
    const { name = '', namespace, uid = '', resourceVersion = '', generation } = metadata;
    const present = status?.conditions?.filter(one => one.type === rolledOutCondition);
    const said = state && {
      rollout: state,
      conditions: withConditions(present, [reportOf(state)], { now, generation }),
    };
    const body = { metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion }, status: said ?? {} };
    await hub.apply(kind, body as never, { fieldManager, subresource: 'status', signal });
    return settled;
  }
}

function reportOf({ phase, message = '' }: RolloutState): ConditionReport {
  return { type: rolledOutCondition, status: phase === 'Succeeded' ? 'True' : 'False', reason: phase, message };
}
