import { useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { hub } from '../../data/kinds.ts';
import { Empty } from '../../parts/notes.tsx';
import { idOf } from '../clusters/cluster-kind.ts';
import { PrintedTable } from '../explore/printed-table.tsx';
import { GrantButton } from '../people/given-roles.tsx';
import { GrantDialog } from '../people/grant.tsx';
import { peopleKinds } from '../people/people-kinds.ts';

/** Who may go to a cluster, and as what. */
export function AccessTab({ cluster }: { cluster: Cluster }) {
  const [isAdding, setAdding] = useState(false);
  const kind = peopleKinds.clusterBinding;
  const id = idOf(cluster);
  return (
    <>
      <PrintedTable
        kind={kind}
        scope={{ clusters: [hub], namespace: id }}
        tools={<GrantButton title="Add a member" kind={kind} namespace={id} onAsk={() => setAdding(true)} />}
        empty={
          <Empty title="Nobody but administrators" command={`kubectl -n ${id} get ${kind.plural}`}>
            Who may go to {cluster.metadata.name}, and as what, is listed here. Members of its projects are listed with the projects.
          </Empty>
        }
      />
      {isAdding && <GrantDialog place={{ in: 'cluster', cluster: id }} onClose={() => setAdding(false)} />}
    </>
  );
}
