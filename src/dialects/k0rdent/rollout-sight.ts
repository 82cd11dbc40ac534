import type { Cluster } from '../../api/cluster.ts';
import { clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { rolloutAnnotations } from '../../api/rollout.ts';
import { workConditions, workReasons, type Work } from '../../api/work.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import type { Delivery, RolloutCluster } from '../../core/rollouts/rollout-step.ts';
import type { Informer } from '../../runtime/informer.ts';
import { clusterDeploymentIndex } from './cluster-of.ts';
import { workName } from './compile-works.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceSpec, ServiceState } from './kinds/service-spec.ts';
import { setKeyOf, targetOf } from './owned-sets.ts';
import { isOutranked, planTarget, type TargetWorld } from './plan-target.ts';
import { rolloutName } from './rollout-share.ts';
import { serviceKey } from './validate-services.ts';

export interface SightDeps extends Omit<TargetWorld, 'shareOf'> {
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
}

/** A cluster as a rollout sees it. Undefined: that of the hub, which is always there. */
export function rolloutCluster(deployment: ClusterDeployment | undefined, { clusters }: Pick<SightDeps, 'clusters'>): RolloutCluster {
  const name = rolloutName(targetOf(deployment));
  if (!deployment) return { name, labels: {}, readiness: 'ready', isHeld: false };
  const cluster = clusterOf(deployment, clusters);
  const isHeld = [deployment, cluster].some(one => one?.metadata.annotations?.[rolloutAnnotations.hold] === 'true');
  const isReady = findCondition(cluster, clusterConditions.ready)?.status === 'True';
  const readiness = isReady ? 'ready' : cluster?.status?.lastSeen === undefined ? 'coming' : 'away';
  return { name, labels: deployment.metadata.labels ?? {}, readiness, isHeld };
}

const clusterOf = (deployment: ClusterDeployment, clusters: Informer<Cluster>): Cluster | undefined =>
  clusters.by(clusterDeploymentIndex, targetOf(deployment))[0];

/** How what a revision says is on a cluster. */
export function seeRevision(
  mcs: MultiClusterService,
  { deployment, serviceSpec }: { deployment: ClusterDeployment | undefined; serviceSpec: ServiceSpec },
  deps: SightDeps,
): Delivery {
  const { report, wanted } = planTarget(mcs, deployment, { ...deps, shareOf: () => ({ serviceSpec }) });
  if (report.error !== undefined) return { is: 'failed', message: report.error };
  if (report.blocked !== undefined) return { is: 'underWay', message: report.blocked };
  const set = deps.sets.get(setKeyOf({ deployment, multiClusterService: mcs }));
  if (wanted || !isCurrent(set)) return { is: 'underWay' };
  const services = set?.status?.services ?? [];
  const failed = services.find(one => one.state === 'Failed' && !isOutranked(one));
  if (failed) return { is: 'failed', message: `service ${serviceKey(failed)}: ${failed.failureMessage ?? 'failed'}` };
  // What another owner has by more priority is not this rollout's to deliver.
  const isFine = (one: ServiceState) => one.state === 'Deployed' || one.state === 'Deleted' || isOutranked(one);
  const late = services.find(one => !isFine(one));
  if (late) return { is: 'underWay', message: `service ${serviceKey(late)} is ${late.state}` };
  if (!report.deployed && services.length < (serviceSpec.services ?? []).length) return { is: 'underWay' };
  return { is: 'done', unhealthy: set && deployment && findUnhealthy(set, clusterOf(deployment, deps.clusters), deps.works) };
}

/** Whether what the set says of itself is about what it is now. None is fine where there is nothing to deliver. */
function isCurrent(set: ServiceSet | undefined): boolean {
  if (!set) return true;
  return set.metadata.deletionTimestamp === undefined && set.status?.observedGeneration === set.metadata.generation;
}

const certainReasons: ReadonlySet<string> = new Set([workReasons.unhealthy, workReasons.timedOut]);

function findUnhealthy(set: ServiceSet, cluster: Cluster | undefined, works: Informer<Work>): Delivery['unhealthy'] {
  if (!cluster) return undefined;
  for (const service of set.spec.services ?? []) {
    const healthy = findCondition(works.get(`${clusterId(cluster)}/${workName(set, service)}`), workConditions.healthy);
    if (healthy?.status !== 'False') continue;
    return { since: new Date(healthy.lastTransitionTime), isCertain: certainReasons.has(healthy.reason), message: healthy.message };
  }
  return undefined;
}
