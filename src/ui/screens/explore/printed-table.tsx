import { useMemo, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { PlaceLink, withScope } from '../../app/place.tsx';
import type { Scope } from '../../app/scope.tsx';
import { hub, objectPlace, type Kind } from '../../data/kinds.ts';
import type { TableColumn } from '../../data/watched-list.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { StateBadge, words, type Tone } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Tags } from '../../parts/tags.tsx';
import { Time } from '../../parts/time.tsx';
import { usePrintedRows, type PrintedRow } from './printed-rows.ts';

interface PrintedTableProps {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Before the names in the address, for screens with two tables. */
  readonly prefix?: string;
  readonly tools?: ReactNode;
  /** Instead of rows when there are none. */
  readonly empty?: ReactNode;
}

/** Any kind on any clusters, in the columns that the servers print. */
export function PrintedTable({ kind, scope, prefix, tools, empty, ...selector }: PrintedTableProps) {
  const { rows, columns: printed, state, failed, leftOut } = usePrintedRows(kind, scope, selector);
  const [, go] = useLocation();
  const [query] = useSearchParams();
  const hasClusters = scope.clusters.length !== 1;
  const columns = useMemo(() => columnsOf(kind, printed, hasClusters), [kind, printed, hasClusters]);
  return (
    <>
      {failed.slice(0, 3).map(({ wanted, error, asOf }) => (
        <ErrorNote key={wanted.cluster} error={error} about={asOf > 0 ? `${wanted.cluster}, shown as it was` : String(wanted.cluster)} />
      ))}
      {failed.length > 3 && <p className="muted">and {failed.length - 3} more clusters that do not answer</p>}
      {leftOut > 0 && (
        <p className="muted" role="status">
          {leftOut.toLocaleString()} more clusters are left out: choose those you want at the top.
        </p>
      )}
      <Table
        name={kind.plural}
        rows={rows}
        columns={columns}
        keyOf={({ cluster, object }) => `${cluster} ${object.metadata.uid ?? object.metadata.name ?? ''}`}
        state={state}
        sort="name"
        isStale={row => row.isStale}
        onOpen={row => go(withScope(placeOf(kind, row), query))}
        {...(prefix !== undefined && { prefix })}
        tools={tools}
        empty={
          empty ?? (
            <Empty title={`No ${kind.plural} here`} command={`drover get ${kind.plural} --all-clusters${kind.isNamespaced ? ' -A' : ''}`}>
              Nothing of this kind is on the clusters and in the namespace that you look at.
            </Empty>
          )
        }
      />
    </>
  );
}

export const placeOf = (kind: Kind, { cluster, object }: PrintedRow): string =>
  objectPlace(kind, { cluster, namespace: object.metadata.namespace, name: object.metadata.name });

function columnsOf(kind: Kind, printed: readonly TableColumn[], hasClusters: boolean): Column<PrintedRow>[] {
  const name: Column<PrintedRow> = {
    id: 'name',
    title: 'Name',
    width: 'minmax(14rem, 2fr)',
    value: ({ object }) => object.metadata.name,
    cell: row => <PlaceLink to={placeOf(kind, row)}>{row.object.metadata.name}</PlaceLink>,
  };
  const cluster: Column<PrintedRow> = {
    id: 'cluster',
    title: 'Cluster',
    width: 'minmax(8rem, 1fr)',
    value: row => (row.cluster === hub ? 'hub' : row.cluster),
  };
  const namespace: Column<PrintedRow> = {
    id: 'namespace',
    title: 'Namespace',
    width: 'minmax(8rem, 1fr)',
    value: ({ object }) => object.metadata.namespace,
  };
  const labels: Column<PrintedRow> = {
    id: 'labels',
    title: 'Labels',
    width: 'minmax(12rem, 2fr)',
    isExtra: true,
    value: ({ object }) =>
      Object.entries(object.metadata.labels ?? {})
        .map(pair => pair.join('='))
        .join(' '),
    cell: ({ object }) => <Tags labels={object.metadata.labels} />,
  };
  const age: Column<PrintedRow> = {
    id: 'age',
    title: 'Age',
    width: '5.5rem',
    value: ({ object }) => -Date.parse(object.metadata.creationTimestamp ?? ''),
    cell: ({ object }) => <Time at={object.metadata.creationTimestamp} />,
  };
  const others = printed.flatMap((column, at) => (/^(name|namespace|age)$/i.test(column.name) ? [] : [printedColumn(column, at)]));
  return [name, ...(hasClusters ? [cluster] : []), ...(kind.isNamespaced ? [namespace] : []), ...others, labels, age];
}

function printedColumn({ name, type, priority }: TableColumn, at: number): Column<PrintedRow> {
  const value = ({ object }: PrintedRow) => {
    const cell = object.cells[at];
    return typeof cell === 'number' || typeof cell === 'string' ? cell : cell === null || cell === undefined ? undefined : String(cell);
  };
  const isNumber = type === 'integer' || type === 'number';
  const isState = /^(status|phase|ready|state|reason)$/i.test(name);
  return {
    id: name.toLowerCase().replaceAll(' ', '-'),
    title: name,
    width: isNumber ? '7rem' : isState ? 'minmax(8rem, 1fr)' : 'minmax(7rem, 1fr)',
    isNumber,
    isExtra: priority > 0,
    value,
    ...(isState && { cell: (row: PrintedRow) => <PrintedState text={String(value(row) ?? '')} /> }),
  };
}

const tones: readonly [RegExp, Tone][] = [
  [/^(running|ready|active|bound|true|succeeded|complete|completed|available|healthy|deployed|answering)$/i, 'good'],
  [/^(pending|containercreating|progressing|waiting|unknown|init:.*|podinitializing)$/i, 'info'],
  [/^(terminating|notready.*|schedulingdisabled|ready,.*|outranked)$/i, 'warn'],
  [/(error|fail|backoff|evicted|oomkilled|unreachable|disconnected|^false$|lost)/i, 'bad'],
];

/** Words of servers that say how something is; counts such as 2/3 are compared. */
function PrintedState({ text }: { text: string }) {
  const [, have, want] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (have !== undefined) return <StateBadge tone={have === want ? 'good' : 'warn'} word={text} />;
  const tone = tones.find(([pattern]) => pattern.test(text))?.[1];
  return tone ? <StateBadge tone={tone} word={words(text)} /> : text;
}
