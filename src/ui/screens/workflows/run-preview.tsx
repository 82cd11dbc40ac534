import type { ClusterRun } from '../../../dialects/workflows/kinds/cluster-run.ts';
import { Empty } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';

const lists = [
  { field: 'create', word: 'Create', tone: 'good' },
  { field: 'update', word: 'Change', tone: 'info' },
  { field: 'prune', word: 'Delete', tone: 'bad' },
  { field: 'errors', word: 'Refuse', tone: 'bad' },
] as const;

/** What a run that only looks would do, cluster by cluster. */
export function RunPreview({ clusterRuns }: { clusterRuns: readonly ClusterRun[] }) {
  const rows = clusterRuns.flatMap(({ spec, status }) => {
    return lists.flatMap(({ field, word, tone }) =>
      (status?.preview?.[field] ?? []).map(obj => [spec.cluster.name, <StateBadge key="word" tone={tone} word={word} />, obj]),
    );
  });
  if (rows.length === 0) return <Empty title="Nothing would change">No cluster has told of an object that would change.</Empty>;
  return <SmallTable name="What would change" heads={['Cluster', 'Would', 'Object']} rows={rows} />;
}
