import { Cluster, clusterConditions } from '../api/cluster.ts';
import { findCondition } from '../api/conditions.ts';
import { Work, workConditions } from '../api/work.ts';
import { describeMetrics, labelValue } from '../runtime/metric-text.ts';

export interface FleetFacts {
  readonly clusters: readonly Cluster[];
  readonly works: readonly Work[];
  /** Agents that are connected to this hub. */
  readonly tunnels: number;
}

/** How the members and their Works are, in the text format of Prometheus. A member is one series, Works are counted: their number has no end. */
export function printFleetMetrics({ clusters, works, tunnels }: FleetFacts): string {
  const ready = clusters.map(cluster => {
    const { metadata, spec } = cluster;
    const condition = findCondition(cluster, clusterConditions.ready);
    const labels = `cluster=${labelValue(metadata.name ?? '')},mode=${labelValue(spec.connection.mode)},reason=${labelValue(condition?.reason ?? '')}`;
    return `drover_cluster_ready{${labels}} ${condition?.status === 'True' ? 1 : 0}`;
  });
  const counts = new Map<string, number>();
  for (const work of works) {
    const condition = findCondition(work, workConditions.ready);
    const labels = `ready=${labelValue(condition?.status ?? 'Unknown')},reason=${labelValue(condition?.reason ?? '')}`;
    counts.set(labels, (counts.get(labels) ?? 0) + 1);
  }
  const stalled = works.filter(work => findCondition(work, workConditions.stalled)?.status === 'True').length;
  return describeMetrics(
    [
      { name: 'drover_cluster_ready', type: 'gauge', help: 'Whether work can be delivered to a member.' },
      { name: 'drover_works', type: 'gauge', help: 'Works by how they are.' },
      { name: 'drover_works_stalled', type: 'gauge', help: 'Works that wait for a person.' },
      { name: 'drover_tunnels', type: 'gauge', help: 'Agents that are connected to this hub.' },
    ],
    [
      ...ready,
      ...[...counts].map(([labels, count]) => `drover_works{${labels}} ${count}`),
      `drover_works_stalled ${stalled}`,
      `drover_tunnels ${tunnels}`,
    ],
  );
}
