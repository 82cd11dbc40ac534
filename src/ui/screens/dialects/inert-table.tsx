import { go, PlaceLink } from '../../app/place.tsx';
import { objectPlace, resourceOf } from '../../data/kinds.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import type { Counts } from './use-counts.ts';
import { useInert, type InertRow } from './use-inert.ts';

/** Which objects have fields that the hub keeps and does not act upon. */
export function InertTable({ counts }: { counts: Counts }) {
  const { rows, isLooking, cut, error } = useInert(counts);
  return (
    <>
      {error !== undefined && <ErrorNote error={error} about="Fields that are not acted upon" />}
      <p className="muted">
        Fields that people wrote, that are kept as they are, and that change nothing here.
        {cut.length > 0 && ` Of ${cut.join(' and ')} the first were looked at.`}
      </p>
      <Table
        name="Fields that are not acted upon"
        rows={rows}
        columns={columns}
        keyOf={({ kind, namespace, name, path }) => [resourceOf(kind), namespace, name, path].join(' ')}
        state={isLooking && rows.length === 0 ? 'loading' : counts.error === undefined ? 'live' : 'failed'}
        sort="object"
        onOpen={({ kind, namespace, name }) => go(`${objectPlace(kind, { namespace, name })}/yaml`)}
        empty={
          <Empty title="Everything that was written is acted upon" command="kubectl explain mcs.spec.serviceSpec.services.helmOptions">
            Fields that a kind has because its owners have it, and of which nothing comes here, are listed with the objects that have them.
            Descriptions of kinds say which they are.
          </Empty>
        }
      />
    </>
  );
}

const columns: readonly Column<InertRow>[] = [
  { id: 'dialect', title: 'Dialect', width: '6.5rem', value: ({ dialect }) => dialect },
  { id: 'kind', title: 'Kind', width: '11.5rem', value: ({ kind }) => kind.kind },
  {
    id: 'object',
    title: 'Object',
    width: 'minmax(8rem, 1fr)',
    value: ({ namespace, name }) => (namespace === undefined ? name : `${namespace}/${name}`),
    cell: ({ kind, namespace, name }) => (
      <PlaceLink to={`${objectPlace(kind, { namespace, name })}/yaml`}>
        <bdi>{namespace === undefined ? name : `${namespace}/${name}`}</bdi>
      </PlaceLink>
    ),
  },
  {
    id: 'field',
    title: 'Field',
    width: 'minmax(25rem, 3fr)',
    value: ({ path }) => path,
    cell: ({ path }) => <code title={path}>{path}</code>,
  },
  {
    id: 'why',
    title: 'Why',
    width: 'minmax(12rem, 1.6fr)',
    value: ({ why }) => why,
    cell: ({ why }) => <span title={why}>{why || '–'}</span>,
  },
];
