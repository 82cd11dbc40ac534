import type { Cluster } from '../../../api/cluster.ts';
import { whyKeptAway } from '../../../api/cluster-taints.ts';
import { clusterConditions } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import { rolloutAnnotations } from '../../../api/rollout.ts';
import { Work, workConditions } from '../../../api/work.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderSelection } from '../infrastructure/render-selection.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import { selectClusters } from '../infrastructure/select-clusters.ts';
import type { RunSnapshot } from '../inputs/run-snapshot.ts';
import { deliveryLabels } from '../names.ts';
import type { GrantedCluster } from './cluster-grant.ts';
import type { Illness, SeenCluster } from './run-step.ts';

/** A cluster as runs see it. Undefined when it is gone or going. */
export function seeCluster(
  clusters: Informer<Cluster>,
  id: string,
  { isSelected, isKeptAway }: { isSelected(): boolean; isKeptAway(): boolean },
): SeenCluster | undefined {
  const cluster = clusters.by('id', id)[0];
  if (!cluster || cluster.metadata.deletionTimestamp !== undefined) return undefined;
  // Of most of them nobody asks all of it.
  return {
    get isMeant() {
      return isSelected();
    },
    get isKeptAway() {
      return isKeptAway();
    },
    get isReady() {
      return findCondition(cluster, clusterConditions.ready)?.status === 'True';
    },
    get isHeld() {
      return cluster.metadata.annotations?.[rolloutAnnotations.hold] === 'true';
    },
  };
}

/** What was seen of a cluster that is watched, pods that restarted included. */
export function illnessOf(cluster: GrantedCluster | undefined): Illness | undefined {
  const { illSince, isCertain, message } = cluster?.status?.soak ?? {};
  return illSince === undefined ? undefined : { since: new Date(illSince), isCertain: isCertain === true, message: message ?? 'unhealthy' };
}

/** The Work of the release on a cluster. */
function releaseOn(works: Informer<Work>, { releaseName, namespace }: RunSnapshot['infrastructure'], id: string): Work | undefined {
  const isIt = ({ metadata, spec }: Work) =>
    metadata.labels?.[deliveryLabels.release] !== undefined && spec.release.name === releaseName && spec.release.namespace === namespace;
  return works.by('cluster', id).find(isIt);
}

/** Why taints keep a run away from a cluster that its infrastructure selects. A release that is there is brought up to date on one that is cordoned. */
export function whyRunKeptAway(
  { clusters, works }: { readonly clusters: Informer<Cluster>; readonly works: Informer<Work> },
  { infrastructure }: RunSnapshot,
  id: string,
): string | undefined {
  const cluster = clusters.by('id', id)[0];
  if ((cluster?.spec.taints ?? []).length === 0) return undefined;
  return whyKeptAway(cluster, releaseOn(works, infrastructure, id) !== undefined);
}

/** Whether what a run delivered to a cluster is unhealthy now. */
export function seeIllness(works: Informer<Work>, { infrastructure }: RunSnapshot, id: string): Illness | undefined {
  const work = releaseOn(works, infrastructure, id);
  const healthy = findCondition(work, workConditions.healthy);
  if (!work || healthy?.status !== 'False') return undefined;
  return {
    since: new Date(healthy.lastTransitionTime),
    isCertain: work.status?.objects?.some(one => one.health === 'Failed') === true,
    message: healthy.message,
  };
}

/** Which clusters an infrastructure selects by the labels that they have here. */
export function meantOf(snapshot: RunSnapshot, scope: ExpressionScope, clusters: readonly ResolvedCluster[]): readonly ResolvedCluster[] {
  try {
    return selectClusters(renderSelection(snapshot.infrastructure.spec, scope), clusters);
  } catch {
    // What cannot be judged stays as it was resolved.
    return clusters;
  }
}
