import type { Cluster } from '../../../api/cluster.ts';
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
  isSelected: (labels: ResolvedCluster['labels']) => boolean,
): SeenCluster | undefined {
  const cluster = clusters.by('id', id)[0];
  if (!cluster || cluster.metadata.deletionTimestamp !== undefined) return undefined;
  // Of most of them nobody asks all of it.
  return {
    get isMeant() {
      return isSelected(cluster.metadata.labels ?? {});
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

/** Whether what a run delivered to a cluster is unhealthy now. */
export function seeIllness(works: Informer<Work>, { infrastructure }: RunSnapshot, id: string): Illness | undefined {
  const isIt = ({ metadata, spec }: Work) =>
    metadata.labels?.[deliveryLabels.release] !== undefined &&
    spec.release.name === infrastructure.releaseName &&
    spec.release.namespace === infrastructure.namespace;
  const work = works.by('cluster', id).find(isIt);
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
