import { useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { go } from '../../app/place.tsx';
import { LeftOut, useOfScope } from '../../app/scope.tsx';
import { seesHub } from '../../data/hub-sight.ts';
import { kinds } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { useList } from '../../data/use-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, NoClustersForYou } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table/table.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { clusterColumns } from './cluster-columns.tsx';
import { RowDeeds } from './cluster-deeds.tsx';
import { ImportDialog } from './import-dialog.tsx';

const nameOf = ({ metadata }: Cluster) => metadata.name;
const rowEnd = (cluster: Cluster) => <RowDeeds cluster={cluster} />;

/** All members of the hub. */
export function Clusters() {
  const { items, state, error } = useList<Cluster>({ kind: kinds.cluster });
  const shown = useOfScope(items, nameOf);
  const [isAdding, setAdding] = useState(false);
  const mayAdd = useMay({ verb: 'create', kind: kinds.cluster });
  useShortcut(mayAdd ? 'addCluster' : undefined, () => setAdding(true));
  const add = mayAdd && (
    <button type="button" className="button main-deed" onClick={() => setAdding(true)}>
      <Icon name="add" />
      Add a cluster
    </button>
  );
  return (
    <Page title="Clusters" isFilled actions={add}>
      {error && <ErrorNote error={error} about="Clusters" />}
      <Table
        name="Clusters"
        rows={shown}
        columns={clusterColumns}
        keyOf={one => one.metadata.uid!}
        state={state}
        sort="name"
        onOpen={one => go(`/clusters/${encodeURIComponent(one.metadata.name!)}`)}
        rowEnd={rowEnd}
        tools={<LeftOut count={items.length - shown.length} />}
        empty={
          items.length > 0 ? (
            <Empty title="Not one of the clusters that you look at is here">Others are: the button above shows all of them.</Empty>
          ) : !seesHub() ? (
            <NoClustersForYou />
          ) : (
            <Empty title="No clusters yet" command="drover sandbox create east --wait" action={add}>
              Clusters that the hub manages are listed here with how they are. A sandbox cluster lives inside the hub and costs nothing to
              try.
            </Empty>
          )
        }
      />
      {isAdding && <ImportDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}
