import { go, PlaceLink } from '../../app/place.tsx';
import { kindKey } from '../../data/kinds.ts';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import type { Counts, KindRow } from './use-counts.ts';

/** Every kind of every dialect that the hub serves. */
export function KindTable({ counts: { rows, isCounting, error } }: { counts: Counts }) {
  return (
    <Table
      name="Kinds of dialects"
      rows={rows}
      columns={columns}
      keyOf={({ kind }) => kindKey(kind)}
      state={rows.length === 0 && isCounting ? 'loading' : error === undefined ? 'live' : 'failed'}
      sort="dialect"
      onOpen={({ kind }) => go(`/explore/${kindKey(kind)}?cluster=local`)}
      empty={<p className="muted">The hub serves none of the kinds that are known here.</p>}
    />
  );
}

const columns: readonly Column<KindRow>[] = [
  { id: 'dialect', title: 'Dialect', width: 'minmax(9rem, 1fr)', value: ({ dialect }) => dialect },
  {
    id: 'kind',
    title: 'Kind',
    width: 'minmax(12rem, 1.4fr)',
    value: ({ kind }) => kind.kind,
    cell: ({ kind }) => <PlaceLink to={`/explore/${kindKey(kind)}?cluster=local`}>{kind.kind}</PlaceLink>,
  },
  { id: 'group', title: 'Group', width: 'minmax(12rem, 1.4fr)', value: ({ kind }) => `${kind.group}/${kind.version}` },
  { id: 'count', title: 'Objects', width: '7rem', isNumber: true, value: ({ count }) => count },
];
