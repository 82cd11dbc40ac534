import type { Cluster } from '../../api/cluster.ts';
import { clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { rolloutAnnotations } from '../../api/rollout.ts';
import { workConditions, type Work } from '../../api/work.ts';
import { changesOf, type Trigger } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { clusterDeploymentsOf } from './cluster-of.ts';
import { workAnnotationsOfSet } from './compile-works.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import { byTarget } from './owned-sets.ts';
import type { RolloutRevisions } from './rollout-revisions.ts';
import { isInReach } from './select-clusters.ts';

export interface RolloutTriggersDeps {
  readonly multiClusterServices: Informer<MultiClusterService>;
  readonly deployments: Informer<ClusterDeployment>;
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly revisions: Pick<RolloutRevisions, 'synced'>;
}

/** What asks for another step of rollouts. Those who have none hear nothing. */
export function rolloutTriggers({ multiClusterServices, deployments, sets, clusters, works, revisions }: RolloutTriggersDeps): Trigger[] {
  const hold = ({ metadata }: Cluster | ClusterDeployment) => metadata.annotations?.[rolloutAnnotations.hold];
  return [
    changesOf(
      multiClusterServices,
      mcs => (mcs.spec.rollout || mcs.status?.rollout ? [keyOf(mcs)] : []),
      ({ metadata, spec, status }) => [
        metadata.uid,
        metadata.deletionTimestamp,
        metadata.finalizers ?? [],
        metadata.annotations?.[rolloutAnnotations.request],
        spec,
        status?.rollout,
      ],
    ),
    changesOf(sets, ({ spec }) => withRollout(spec.multiClusterService)),
    changesOf(deployments, ofDeployment, one => [one.metadata.labels ?? {}, one.metadata.deletionTimestamp, hold(one)]),
    changesOf(
      clusters,
      cluster => clusterDeploymentsOf(cluster).flatMap(ofTarget),
      one => [findCondition(one, clusterConditions.ready)?.status, one.status?.lastSeen !== undefined, hold(one)],
    ),
    changesOf(works, ofWork, one => [
      findCondition(one, workConditions.healthy)?.status,
      findCondition(one, workConditions.healthy)?.reason,
    ]),
    { synced: Promise.all([revisions.synced, clusters.synced, works.synced]).then(() => {}), start: () => ({ [Symbol.dispose]() {} }) },
  ];

  function withRollout(key: Key | undefined): Key[] {
    return key !== undefined && multiClusterServices.get(key)?.spec.rollout ? [key] : [];
  }

  function ofDeployment(deployment: ClusterDeployment): Key[] {
    const selecting = multiClusterServices.list().filter(mcs => mcs.spec.rollout && isInReach(mcs, deployment));
    return [...selecting.map(keyOf), ...ofSets(keyOf(deployment))];
  }

  function ofTarget(target: string): Key[] {
    const deployment = deployments.get(target);
    return deployment ? ofDeployment(deployment) : [];
  }

  function ofSets(target: string): Key[] {
    return sets.by(byTarget, target).flatMap(set => withRollout(set.spec.multiClusterService));
  }

  /** Health matters while a wave is watched. */
  function ofWork({ metadata }: Work): Key[] {
    const set = sets.get(metadata.annotations?.[workAnnotationsOfSet.set] ?? '');
    const [key] = withRollout(set?.spec.multiClusterService);
    const isWatched = key !== undefined && multiClusterServices.get(key)?.status?.rollout?.clusters?.soaking !== undefined;
    return isWatched ? [key] : [];
  }
}
