import type { Cluster } from '../../api/cluster.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf } from '../../runtime/key.ts';
import { clusterDeploymentIndex } from './cluster-of.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import { setKeyOf, targetOf, targetOfSet } from './owned-sets.ts';
import type { PlacementSight } from './select-clusters.ts';

export interface SightOfHub {
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Pick<Informer<Cluster>, 'by'>;
  readonly sets: Pick<Informer<ServiceSet>, 'get'>;
}

export function placementSight({ clusters, sets }: SightOfHub): PlacementSight {
  return {
    clusterOf: deployment => clusters.by(clusterDeploymentIndex, targetOf(deployment))[0],
    isThere(multiClusterService, deployment) {
      const set = sets.get(setKeyOf({ deployment, multiClusterService }));
      return set !== undefined && set.metadata.deletionTimestamp === undefined;
    },
  };
}

/** Of what was read at one moment; the members by target. */
export function sightOfRead(members: ReadonlyMap<string, Cluster>, sets: readonly ServiceSet[]): PlacementSight {
  const nameOf = (owner: string, target: string) => `${owner} ${target}`;
  const present = new Set(
    sets
      .filter(one => one.metadata.deletionTimestamp === undefined)
      .map(one => nameOf(one.spec.multiClusterService ?? '', targetOfSet(one))),
  );
  return {
    clusterOf: deployment => members.get(targetOf(deployment)),
    isThere: (mcs, deployment) => present.has(nameOf(keyOf(mcs), targetOf(deployment))),
  };
}
