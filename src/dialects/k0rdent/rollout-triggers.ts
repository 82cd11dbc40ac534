import type { Cluster } from '../../api/cluster.ts';
import { clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { rolloutAnnotations } from '../../api/rollout.ts';
import { workConditions, type Work } from '../../api/work.ts';
import { changesOf, knownFirst, type Trigger } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import type { AccessGrants } from './access-grants.ts';
import { clusterDeploymentsOf } from './cluster-of.ts';
import { workAnnotationsOfSet } from './compile-works.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { Credential } from './kinds/management.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { dependentsOf, usersOf } from './mcs-target-triggers.ts';
import { byTarget } from './owned-sets.ts';
import type { RolloutRevisions } from './rollout-revisions.ts';
import { isInReach } from './select-clusters.ts';
import type { K0rdentSettings } from './settings.ts';

export interface RolloutTriggersDeps {
  readonly multiClusterServices: Informer<MultiClusterService>;
  readonly deployments: Informer<ClusterDeployment>;
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  readonly templates: Informer<ServiceTemplate>;
  readonly chains: Informer<ServiceTemplateChain>;
  readonly grants: Pick<AccessGrants, 'changes'>;
  readonly settings: Pick<K0rdentSettings, 'changes'>;
  readonly credentials: Informer<Credential>;
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly revisions: Pick<RolloutRevisions, 'synced'>;
}

/**
 * What asks for another step of rollouts. Those who have none hear nothing. All that a step reads is known before the first one: what a step does not see it
 * takes for missing, and nothing else would ask again.
 */
export function rolloutTriggers(deps: RolloutTriggersDeps): Trigger[] {
  const { multiClusterServices, deployments, sets, templates, chains, grants, settings, credentials, clusters, works, revisions } = deps;
  const hold = ({ metadata }: Cluster | ClusterDeployment) => metadata.annotations?.[rolloutAnnotations.hold];
  return [
    changesOf(
      multiClusterServices,
      mcs => [...(mcs.status?.rollout ? [keyOf(mcs)] : []), ...keysOf([mcs, ...dependentsOf(multiClusterServices, keyOf(mcs))])],
      ({ metadata, spec, status }) => [
        metadata.uid,
        metadata.deletionTimestamp,
        metadata.finalizers ?? [],
        metadata.annotations?.[rolloutAnnotations.request],
        spec,
        status?.rollout,
      ],
    ),
    changesOf(templates, ({ metadata }) => keysOf(usersOf(multiClusterServices, 'template', metadata.name!))),
    changesOf(chains, ({ metadata }) => keysOf(usersOf(multiClusterServices, 'templateChain', metadata.name!))),
    grants.changes(() => keysOf(multiClusterServices.list())),
    settings.changes(() => keysOf(multiClusterServices.list())),
    changesOf(sets, ({ spec }) => withRollout(spec.multiClusterService)),
    changesOf(deployments, ofDeployment, one => [one.metadata.labels ?? {}, one.metadata.deletionTimestamp, hold(one)]),
    changesOf(
      clusters,
      cluster => clusterDeploymentsOf(cluster).flatMap(ofTarget),
      one => [findCondition(one, clusterConditions.ready)?.status, one.status?.lastSeen !== undefined, hold(one), one.spec.taints ?? []],
    ),
    changesOf(works, ofWork, one => [
      findCondition(one, workConditions.healthy)?.status,
      findCondition(one, workConditions.healthy)?.reason,
    ]),
    knownFirst(revisions, credentials),
  ];

  function keysOf(those: readonly MultiClusterService[]): Key[] {
    return those.filter(({ spec }) => spec.rollout).map(keyOf);
  }

  function withRollout(key: Key | undefined): Key[] {
    return key !== undefined && multiClusterServices.get(key)?.spec.rollout ? [key] : [];
  }

  function ofDeployment(deployment: ClusterDeployment): Key[] {
    const selecting = multiClusterServices.list().filter(mcs => isInReach(mcs, deployment));
    return [...keysOf(selecting), ...ofSets(keyOf(deployment))];
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
