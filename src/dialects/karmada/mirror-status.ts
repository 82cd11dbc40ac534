import { clusterConditions, clusterReasons, type Cluster } from '../../api/cluster.ts';
import { findCondition, withConditions, type Condition, type ConditionReport } from '../../api/conditions.ts';
import type { KarmadaCluster } from './karmada-cluster.ts';

type KarmadaStatus = NonNullable<KarmadaCluster['status']>;
type Taint = NonNullable<KarmadaCluster['spec']['taints']>[number];

const readyType = 'Ready';
const enablementsType = 'CompleteAPIEnablements';

/** The status of a Karmada cluster after that of its Cluster. */
export function mirrorStatus(karmada: KarmadaCluster, cluster: Cluster, now: Date): KarmadaStatus {
  const { version, nodes, allocatable, apiResources } = cluster.status ?? {};
  return withReports(karmada, [readyReport(cluster), enablementsReport(cluster)], now, {
    ...(version !== undefined && { kubernetesVersion: version }),
    ...(nodes && { nodeSummary: { totalNum: nodes.total, readyNum: nodes.ready } }),
    ...(allocatable && { resourceSummary: { allocatable } }),
    ...(apiResources && { apiEnablements: apiResources }),
  });
}

/** The status of a Karmada cluster that cannot be made a Cluster. What was known of it before stays. */
export function failedStatus(karmada: KarmadaCluster, message: string, now: Date): KarmadaStatus {
  const { conditions: _, ...known } = karmada.status ?? {};
  return withReports(karmada, [{ type: readyType, status: 'False', reason: 'StatusCollectionFailed', message }], now, known);
}

function withReports(karmada: KarmadaCluster, reports: readonly ConditionReport[], now: Date, known: object): KarmadaStatus {
  const present = karmada.status?.conditions as Condition[] | undefined;
  return { ...known, conditions: withConditions(present, reports, { now }) } as KarmadaStatus;
}

function readyReport(cluster: Cluster): ConditionReport {
  const ready = findCondition(cluster, clusterConditions.ready);
  const report = (status: ConditionReport['status'], reason: string, message: string) => ({ type: readyType, status, reason, message });
  if (!ready || ready.status === 'Unknown')
    return report('Unknown', 'ClusterStatusNeverUpdated', 'Cluster status controller never posted cluster status.');
  if (ready.status === 'True') return report('True', 'ClusterReady', 'cluster is healthy and ready to accept workloads');
  if (ready.reason === clusterReasons.notReady)
    return report('False', 'ClusterNotReady', 'cluster is reachable but health endpoint responded without ok');
  return report('False', 'ClusterNotReachable', 'cluster is not reachable');
}

function enablementsReport({ status }: Cluster): ConditionReport {
  return status?.apiResources && status.apiResources.length > 0
    ? { type: enablementsType, status: 'True', reason: enablementsType, message: 'collected complete APIEnablements from the cluster' }
    : { type: enablementsType, status: 'False', reason: 'EmptyAPIEnablements', message: 'collected empty APIEnablements from the cluster' };
}

const notReadyTaint = 'cluster.karmada.io/not-ready';
const unreachableTaint = 'cluster.karmada.io/unreachable';

export const isAutomaticTaint = ({ key, effect }: Taint): boolean =>
  effect === 'NoSchedule' && (key === notReadyTaint || key === unreachableTaint);

/** The taints with those that follow from the readiness of the cluster; the very same list when nothing is to change. */
export function taintsFor(taints: readonly Taint[], status: KarmadaStatus): readonly Taint[] {
  const ready = status.conditions?.find(one => one.type === readyType)?.status ?? 'False';
  const wanted = ready === 'True' ? undefined : ready === 'False' ? notReadyTaint : unreachableTaint;
  const present = taints.filter(isAutomaticTaint);
  if (present.length === (wanted ? 1 : 0) && present.every(({ key }) => key === wanted)) return taints;
  const others = taints.filter(taint => !isAutomaticTaint(taint));
  return wanted ? [...others, { key: wanted, effect: 'NoSchedule' }] : others;
}
