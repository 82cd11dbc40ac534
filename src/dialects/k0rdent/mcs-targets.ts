import type { KubeClient } from '../../client/kube-client.ts';
import { runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { errorText } from '../../util/error-text.ts';
import { jsonEqual } from '../../util/json.ts';
import { effectiveProvider, onlyPlans } from './effective-config.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers } from './kinds/group.ts';
import type { Management } from './kinds/management.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { inTheWay } from './mcs-dependencies.ts';
import { findFault } from './mcs-faults.ts';
import type { TargetReport } from './mcs-status.ts';
import { dependentsOf, isSelfManaged, mcsTargetTriggers, splitTargetKey, type TargetTriggersDeps } from './mcs-target-triggers.ts';
import { byTarget, hubTarget, planSet, targetOf } from './owned-sets.ts';
import { placementSight } from './placement-sight.ts';
import { planTarget, type TargetWorld } from './plan-target.ts';
import { selectClusters } from './select-clusters.ts';

export interface McsTargetsDeps extends TargetTriggersDeps, TargetWorld {
  readonly hub: KubeClient;
  readonly managements: Informer<Management>;
  readonly signal: AbortSignal;
  /** Hears of every MultiClusterService whose clusters are not as they were. */
  onChange(name: string): void;
}

export interface McsTargets {
  readonly running: RunningController;
  /** How every cluster of a MultiClusterService is. */
  reports(mcs: MultiClusterService): TargetReport[];
  forget(name: string): void;
}

const fieldManager = 'drover-k0rdent-mcs';

/**
 * Keeps the ServiceSets of MultiClusterServices, each cluster for itself: what changes on one costs the work of one, however many others there are.
 */
export function runMcsTargets(deps: McsTargetsDeps): McsTargets {
  const { hub, multiClusterServices, deployments, sets, managements, known, find, onChange, signal } = deps;
  const sight = placementSight(deps);
  /** By MultiClusterService and cluster: what the last look found. Whatever may change it asks for another look. */
  const seen = new Map<string, Map<string, TargetReport>>();
  const running = runController(
    { name: `k0rdent-${multiClusterServices.kind.resource}-target`, reconcile },
    { triggers: mcsTargetTriggers(deps), signal, concurrency: 16 },
  );
  return { running, reports, forget: name => void seen.delete(name) };

  function reports(mcs: MultiClusterService): TargetReport[] {
    const known = seenOf(keyOf(mcs));
    const targets = [...(isSelfManaged(mcs) ? [undefined] : []), ...selectClusters(mcs, deployments.list(), sight)];
    return targets.map(deployment => {
      const target = targetOf(deployment);
      let report = known.get(target);
      if (!report) known.set(target, (report = planTarget(mcs, deployment, deps).report));
      return report;
    });
  }

  function seenOf(name: string): Map<string, TargetReport> {
    let known = seen.get(name);
    if (!known) seen.set(name, (known = new Map()));
    return known;
  }

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const { name, target } = splitTargetKey(key);
    const mcs = multiClusterServices.get(name);
    const management = managements.list()[0];
    if (!mcs || !management || management.metadata.deletionTimestamp !== undefined) return settled;
    const isKept = mcs.metadata.finalizers?.includes(k0rdentFinalizers.multiClusterService) === true;
    if (mcs.metadata.deletionTimestamp !== undefined) onChange(name);
    else if (isKept && !findFault(mcs, known, find)) await look(mcs, target, ctx);
    return settled;
  }

  async function look(mcs: MultiClusterService, target: string, ctx: Context): Promise<void> {
    if (target === hubTarget) return isSelfManaged(mcs) ? serve(mcs, undefined, ctx) : leave(mcs, target, ctx);
    const deployment = deployments.get(target);
    const [selected] = deployment ? selectClusters(mcs, [deployment], sight) : [];
    return selected ? serve(mcs, selected, ctx) : leave(mcs, target, ctx);
  }

  async function serve(mcs: MultiClusterService, deployment: ClusterDeployment | undefined, { signal }: Context): Promise<void> {
    const { report, wanted } = planTarget(mcs, deployment, deps);
    if (!wanted) return note(mcs, deployment, report);
    try {
      await hub.apply(ServiceSet, wanted, { fieldManager, signal });
      note(mcs, deployment, report);
    } catch (error) {
      signal.throwIfAborted();
      note(mcs, deployment, { ...report, error: errorText(error) });
      throw error;
    }
  }

  /** What is on a cluster that does not match any more, or is drained, goes, unless it is to be kept. */
  async function leave(mcs: MultiClusterService, target: string, { signal }: Context): Promise<void> {
    const name = keyOf(mcs);
    seenOf(name).delete(target);
    onChange(name);
    if (mcs.spec.keepServicesOnSelectorMismatch || isNeededByLeaving(mcs, target)) return;
    for (const set of sets.by(byTarget, target).filter(one => one.spec.multiClusterService === name)) {
      const deployment = deployments.get(target);
      if (deployment && hasWhatIsOnlyPlanned(mcs, set)) await empty(mcs, deployment, signal);
      else await removeSet(hub, set, signal);
    }
  }

  /** Whether others that depend on it are about to leave the cluster too: they go first, and when they are gone there is another look. */
  function isNeededByLeaving(mcs: MultiClusterService, target: string): boolean {
    const present = new Set(sets.by(byTarget, target).map(({ spec }) => spec.multiClusterService));
    const dependents = dependentsOf(multiClusterServices, keyOf(mcs)).filter(one => present.has(keyOf(one)));
    return inTheWay(mcs, dependents, find).some(one => isLeaving(one, target));
  }

  function isLeaving(mcs: MultiClusterService, target: string): boolean {
    if (mcs.metadata.deletionTimestamp !== undefined) return true;
    if (mcs.spec.keepServicesOnSelectorMismatch || findFault(mcs, known, find)) return false;
    const deployment = deployments.get(target);
    return target === hubTarget ? !isSelfManaged(mcs) : !deployment || selectClusters(mcs, [deployment], sight).length === 0;
  }

  /** Who only plans takes nothing away either: the set stays and tells what would go. */
  async function empty(multiClusterService: MultiClusterService, deployment: ClusterDeployment, stop: AbortSignal): Promise<void> {
    if (deployment.metadata.deletionTimestamp !== undefined) return;
    const serviceSpec = { ...multiClusterService.spec.serviceSpec, services: [] };
    const { wanted } = planSet({ deployment, multiClusterService, serviceSpec, known, sets });
    if (wanted) await hub.apply(ServiceSet, wanted, { fieldManager, signal: stop });
  }

  function note(mcs: MultiClusterService, deployment: ClusterDeployment | undefined, report: TargetReport): void {
    const name = keyOf(mcs);
    const target = targetOf(deployment);
    if (jsonEqual(seenOf(name).get(target), report)) return;
    seenOf(name).set(target, report);
    onChange(name);
  }
}

/** Whether something was deployed before there were only plans. */
function hasWhatIsOnlyPlanned({ spec }: MultiClusterService, { status }: ServiceSet): boolean {
  return onlyPlans(effectiveProvider(spec.serviceSpec ?? {})) && (status?.services ?? []).some(({ state }) => state !== 'Pending');
}

export async function removeSet(hub: KubeClient, { metadata }: ServiceSet, signal: AbortSignal): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  await hub.delete(ServiceSet, { namespace: metadata.namespace, name: metadata.name! }, { signal });
}
