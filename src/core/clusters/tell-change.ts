import { clusterConditions, clusterReasons, type Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import type { EventRecorder } from '../../runtime/event-recorder.ts';
import { log } from '../../runtime/log.ts';
import type { ClusterStatus } from './decide-status.ts';

/** Tells people when a cluster was lost, has returned, or is ready for the first time. */
export function tellChange(cluster: Cluster, status: ClusterStatus, events: EventRecorder): void {
  const name = cluster.metadata.name!;
  const was = findCondition(cluster, clusterConditions.ready)?.status ?? 'Unknown';
  const ready = findCondition({ status }, clusterConditions.ready);
  if (!ready || ready.status === was || ready.status === 'Unknown') return;
  if (ready.reason === clusterReasons.leaving) return log.info('cluster is leaving', { cluster: name });

  const isReady = ready.status === 'True';
  if (isReady) log.info('cluster is ready', { cluster: name });
  else log.warn('cluster is not ready', { cluster: name, err: ready.message });
  // The first time is no news: a thousand clusters may be made at once.
  if (was === 'Unknown') return;
  events.record(cluster, {
    type: isReady ? 'Normal' : 'Warning',
    reason: 'ReadinessChanged',
    action: 'Probe',
    note: isReady ? `Cluster "${name}" is ready again` : `Cluster "${name}" is not ready: ${ready.message}`,
  });
}
