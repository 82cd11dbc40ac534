import { useMemo } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { kinds, objectPlace, type Kind } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { useList } from '../../data/use-list.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { idOf } from '../clusters/cluster-kind.ts';
import { addOns, type AddOn } from './add-ons.ts';

const definitionKind: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  isNamespaced: false,
};

const columns: readonly Column<AddOn>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(10rem, 1.4fr)',
    value: ({ name }) => name,
    cell: ({ name, work }) => (work ? <PlaceLink to={objectPlace(kinds.work, work.metadata)}>{name}</PlaceLink> : <bdi>{name}</bdi>),
  },
  { id: 'type', title: 'Type', width: '7rem', value: ({ type }) => type },
  { id: 'namespace', title: 'Namespace', width: 'minmax(7rem, 0.8fr)', value: ({ namespace }) => namespace },
  { id: 'version', title: 'Version', width: 'minmax(8rem, 1fr)', value: ({ version }) => version },
  { id: 'source', title: 'Source', width: 'minmax(10rem, 1.4fr)', value: ({ source }) => source },
  { id: 'state', title: 'State', width: '9rem', value: ({ state }) => state.word, cell: ({ state }) => <StateBadge {...state} /> },
];

/** What is installed on a cluster, whoever brought it. Of releases only the marks are read that Helm puts on them, never what is in them. */
export function AddOnsTab({ cluster }: { cluster: Cluster }) {
  const name = cluster.metadata.name!;
  const mayRecords = useMay({ verb: 'list', kind: kinds.secret, cluster: name });
  const mayWorks = useMay({ verb: 'list', kind: kinds.work, namespace: idOf(cluster) });
  const mayDefinitions = useMay({ verb: 'list', kind: definitionKind, cluster: name });
  const mayDeployments = useMay({ verb: 'list', kind: kinds.deployment, cluster: name });
  const records = useList(mayRecords ? { cluster: name, kind: kinds.secret, labelSelector: 'owner=helm', isTable: true } : undefined);
  const works = useList<Work>(mayWorks ? { kind: kinds.work, namespace: idOf(cluster) } : undefined);
  const definitions = useList(mayDefinitions ? { cluster: name, kind: definitionKind, isTable: true } : undefined);
  const workloads = useList(
    mayDeployments
      ? { cluster: name, kind: kinds.deployment, labelSelector: 'app.kubernetes.io/managed-by=Helm', isTable: true }
      : undefined,
  );
  const rows = useMemo(
    () => addOns({ cluster, records: records.items, works: works.items, workloads: workloads.items, definitions: definitions.items }),
    [cluster, records.items, works.items, workloads.items, definitions.items],
  );
  return (
    <>
      {mayRecords === false && (
        <p className="note" role="status">
          Helm keeps its releases in Secrets, which you may not list on {name}.{mayWorks && ' What services deliver there is under Works.'}
        </p>
      )}
      {records.error && <ErrorNote error={records.error} about="Releases" />}
      <Table
        name="Add-ons"
        rows={rows}
        columns={columns}
        keyOf={one => one.id}
        state={mayRecords === false ? 'live' : records.state}
        sort="name"
        onOpen={({ work }) => work && go(objectPlace(kinds.work, work.metadata))}
        isStale={() => records.state === 'stale'}
        empty={
          <Empty title="No add-ons" command={`drover kubectl ${name} -- get secrets -A -l owner=helm`}>
            Helm releases, API groups that operators brought and the agent are listed here, with who brought them.
          </Empty>
        }
      />
    </>
  );
}
