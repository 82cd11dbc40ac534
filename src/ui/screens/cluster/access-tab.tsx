import type { Cluster } from '../../../api/cluster.ts';
import { useList } from '../../data/use-list.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { idOf } from '../clusters/cluster-kind.ts';
import { Members } from '../people/members.tsx';
import { peopleKinds, type ClusterRoleTemplateBinding } from '../people/people-kinds.ts';

/** Who may go to a cluster, and as what. */
export function AccessTab({ cluster }: { cluster: Cluster }) {
  const namespace = idOf(cluster);
  const kind = peopleKinds.clusterBinding;
  const { items, state, error } = useList<ClusterRoleTemplateBinding>({ kind, namespace });
  return (
    <>
      {error && <ErrorNote error={error} about="Members" />}
      <Members
        kind={kind}
        members={items}
        isLoading={state === 'loading'}
        place={{ in: 'cluster', cluster: namespace }}
        title={cluster.metadata.name ?? ''}
        namespace={namespace}
        none="Nobody but administrators may go there. Members of its projects are listed with the projects."
      />
    </>
  );
}
