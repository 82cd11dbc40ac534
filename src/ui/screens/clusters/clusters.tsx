import { useLocation } from 'wouter';
import type { Cluster } from '../../../api/cluster.ts';
import { kinds } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table/table.tsx';
import { clusterColumns } from './cluster-columns.tsx';

/** All members of the hub. */
export function Clusters() {
  const { items, state, error } = useList<Cluster>({ kind: kinds.cluster });
  const [, go] = useLocation();
  return (
    <Page title="Clusters" isFilled>
      {error && <ErrorNote error={error} about="Clusters" />}
      <Table
        name="Clusters"
        rows={items}
        columns={clusterColumns}
        keyOf={one => one.metadata.uid!}
        state={state}
        sort="name"
        onOpen={one => go(`/clusters/${encodeURIComponent(one.metadata.name!)}`)}
        empty={
          <Empty title="No clusters yet" command="drover sandbox create east --wait">
            Clusters that the hub manages are listed here with how they are.
          </Empty>
        }
      />
    </Page>
  );
}
