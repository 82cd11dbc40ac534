import type { Work } from '../../../api/work.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import type { KeyDeeds } from '../../app/shortcuts.tsx';
import { kinds, objectPlace } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { judgeObject, ObjectState } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { WorkDeeds } from '../object/workload/work-deeds.tsx';

const placeOf = ({ metadata }: Work) => objectPlace(kinds.work, metadata);

const columns: readonly Column<Work>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(13rem, 2fr)',
    value: ({ metadata }) => metadata.name,
    cell: one => <PlaceLink to={placeOf(one)}>{one.metadata.name}</PlaceLink>,
  },
  { id: 'state', title: 'State', width: '9rem', value: one => judgeObject(one).word, cell: one => <ObjectState object={one} /> },
  { id: 'release', title: 'Release', width: 'minmax(8rem, 1.3fr)', value: ({ spec }) => `${spec.release.namespace}/${spec.release.name}` },
  { id: 'chart', title: 'Chart', width: 'minmax(6rem, 0.8fr)', value: ({ status }) => status?.delivered?.chart },
  { id: 'healthy', title: 'Healthy', width: '5.5rem', value: ({ status }) => status?.healthy },
  {
    id: 'why',
    title: 'Why',
    width: 'minmax(7rem, 1.3fr)',
    value: one => whyOf(one),
    cell: one => <span title={whyOf(one)}>{whyOf(one)}</span>,
  },
  { id: 'drift', title: 'Drift', width: '5rem', isNumber: true, value: ({ status }) => status?.drift?.length },
  { id: 'owner', title: 'Wanted by', width: 'minmax(8rem, 1.2fr)', value: ({ metadata }) => metadata.annotations?.['drover.io/owner'] },
  { id: 'priority', title: 'Priority', width: '6rem', isNumber: true, isExtra: true, value: ({ spec }) => spec.priority },
  { id: 'sync', title: 'Sync', width: '8rem', isExtra: true, value: ({ spec }) => spec.sync },
  {
    id: 'applied',
    title: 'Last applied',
    width: '7.5rem',
    value: ({ status }) => -Date.parse(status?.delivered?.at ?? '') || undefined,
    cell: ({ status }) => <Time at={status?.delivered?.at} />,
  },
  {
    id: 'age',
    title: 'Age',
    isExtra: true,
    width: '5.5rem',
    value: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
    cell: ({ metadata }) => <Time at={metadata.creationTimestamp} />,
  },
];

function whyOf({ status }: Work): string {
  if (status?.outrankedBy) return `Outranked by ${status.outrankedBy.work} (priority ${status.outrankedBy.priority})`;
  return status?.conditions?.find(one => one.type === 'Ready' && one.status !== 'True')?.message ?? '';
}

const keyDeeds: KeyDeeds<Work> = { edit: one => go(`${placeOf(one)}/yaml`), diff: one => go(placeOf(one)) };

/** What the hub delivers to one cluster, and why it is as it is. */
export function ClusterWorks({ id, name }: { id: string; name: string }) {
  const { items, state, error } = useList<Work>({ kind: kinds.work, namespace: id });
  return (
    <>
      {error && <ErrorNote error={error} about="Works" />}
      <Table
        name="Works"
        rows={items}
        columns={columns}
        keyOf={one => one.metadata.uid!}
        state={state}
        onOpen={one => go(placeOf(one))}
        rowEnd={one => <WorkDeeds key={one.metadata.uid} work={one} isInRow />}
        keyDeeds={keyDeeds}
        empty={
          <Empty title="No Works" command={`drover get works -n ${id}`}>
            Everything that the hub delivers to {name} is a Work, whoever wants it: a service, a workflow, or you.
          </Empty>
        }
      />
    </>
  );
}
