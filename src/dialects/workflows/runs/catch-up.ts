import { isInFlight } from './cluster-grant.ts';
import { grantFor } from './grant-step.ts';
import { errorText } from '../../../util/error-text.ts';
import { isUnavailable, maxUnavailable } from './run-budgets.ts';
import { memberSteps, type PlacedStep } from './run-plan.ts';
import { allClusters, clusterOf, grantTo, stand, stateOf, tell, titleOf, waveOf, type Draft } from './run-step.ts';

/** Clusters that could not take part in a run that succeeded do its steps when they can, one after the other, without gates. */
export function catchUp(draft: Draft): void {
  const { engine, input } = draft;
  const underWay = new Set(engine.catchingUp ?? []);
  for (const id of underWay) if (isSettled(draft, id)) underWay.delete(id);
  if (input.isNewest && input.state !== 'Pause') {
    for (const id of allClusters(draft)) if (stateOf(draft, id) === 'Deferred' && mayGo(draft, id)) underWay.add(id);
    let spare =
      maxUnavailable(draft) - allClusters(draft).filter(id => isUnavailable(draft, id) && isInFlight(clusterOf(draft, id))).length;
    for (const id of underWay) {
      if (isInFlight(clusterOf(draft, id)) || !mayGo(draft, id)) continue;
      if (spare <= 0) break;
      if (draft.hubRoom <= 0) {
        draft.waitsForHub = true;
        break;
      }
      if (!goOn(draft, id)) underWay.delete(id);
      else {
        spare--;
        draft.hubRoom--;
      }
    }
  }
  if (underWay.size > 0) engine.catchingUp = [...underWay];
  else delete engine.catchingUp;
}

function mayGo({ input }: Draft, id: string): boolean {
  const seen = input.seeCluster(id);
  return seen !== undefined && seen.isReady && !seen.isHeld;
}

/** Whether there is nothing more to wait for; then it is told. */
function isSettled(draft: Draft, id: string): boolean {
  const state = stateOf(draft, id);
  const cluster = titleOf(draft, id);
  if (state === 'Succeeded') tell(draft, { event: 'ClusterCaughtUp', message: `Cluster ${cluster} has caught up`, cluster });
  if (state === 'Failed' || state === 'TimedOut') {
    const why = clusterOf(draft, id).status?.step?.message ?? 'it failed';
    tell(draft, { event: 'ClusterFailed', message: `Cluster ${cluster} failed: ${why}`, cluster, nonce: 'catch-up' });
  }
  return state !== 'Pending' && state !== 'Running' && state !== 'Deferred';
}

/** Grants the next step. False when there is none. */
function goOn(draft: Draft, id: string): boolean {
  const { grant } = clusterOf(draft, id).spec;
  const wave = waveOf(draft, id);
  const isLeft = ({ step, phase, position }: PlacedStep) => {
    if (position <= (grant?.position ?? -1)) return false;
    if (step.skip === undefined) return true;
    return step.skip !== 'Always' && !draft.input.holds(step.skip.when, wave, phase.name);
  };
  try {
    const left = memberSteps(draft.plan!).filter(isLeft);
    const [next] = left;
    if (next) grantTo(draft, id, grantFor(next, { id: ++draft.engine.lastId, ...(left.length === 1 && { isLast: true }) }));
    else stand(draft, id, { state: 'Succeeded' });
    return next !== undefined;
  } catch (error) {
    stand(draft, id, { state: 'Failed', reason: 'UnresolvedExpression', message: errorText(error) });
    return false;
  }
}
