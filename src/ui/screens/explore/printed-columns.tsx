import { PlaceLink } from '../../app/place.tsx';
import { hub, objectPlace, type Kind } from '../../data/kinds.ts';
import type { TableColumn } from '../../data/watched-list.ts';
import type { Column } from '../../parts/table/columns.ts';
import { Tags } from '../../parts/tags.tsx';
import { Time } from '../../parts/time.tsx';
import type { PrintedRow } from './printed-rows.ts';
import { isStateColumn, PrintedState } from './printed-state.tsx';

export const placeOf = (kind: Kind, { cluster, object }: PrintedRow): string =>
  objectPlace(kind, { cluster, namespace: object.metadata.namespace, name: object.metadata.name });

export const clusterTitle = (cluster: string): string => (cluster === hub ? 'hub' : cluster);

/** A column of what a server printed, or one that every object has. */
export interface PrintedColumn extends Column<PrintedRow> {
  /** Which of the printed cells it shows. */
  readonly at?: number;
}

/** The columns that servers print, with name and place before them. */
export function columnsOf(kind: Kind, printed: readonly TableColumn[], hasClusters: boolean): readonly PrintedColumn[] {
  const name: PrintedColumn = {
    id: 'name',
    title: 'Name',
    width: 'minmax(14rem, 2fr)',
    value: ({ object }) => object.metadata.name,
    cell: row => <PlaceLink to={placeOf(kind, row)}>{row.object.metadata.name}</PlaceLink>,
  };
  const cluster: PrintedColumn = {
    id: 'cluster',
    title: 'Cluster',
    width: 'minmax(8rem, 1fr)',
    value: row => clusterTitle(row.cluster),
  };
  const namespace: PrintedColumn = {
    id: 'namespace',
    title: 'Namespace',
    width: 'minmax(8rem, 1fr)',
    value: ({ object }) => object.metadata.namespace,
  };
  const labels: PrintedColumn = {
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
  const age: PrintedColumn = {
    id: 'age',
    title: 'Age',
    width: '5.5rem',
    value: ({ object }) => -Date.parse(object.metadata.creationTimestamp ?? ''),
    cell: ({ object }) => <Time at={object.metadata.creationTimestamp} />,
  };
  const others = printed.flatMap((column, at) => (/^(name|namespace|age)$/i.test(column.name) ? [] : [printedColumn(column, at)]));
  return [name, ...(hasClusters ? [cluster] : []), ...(kind.isNamespaced ? [namespace] : []), ...others, labels, age];
}

function printedColumn({ name, type, priority }: TableColumn, at: number): PrintedColumn {
  const value = ({ object }: PrintedRow) => {
    const cell = object.cells[at];
    return typeof cell === 'number' || typeof cell === 'string' ? cell : cell === null || cell === undefined ? undefined : String(cell);
  };
  const isNumber = type === 'integer' || type === 'number';
  const isState = isStateColumn(name);
  return {
    at,
    id: name.toLowerCase().replaceAll(' ', '-'),
    title: name,
    width: isNumber ? '7rem' : isState ? 'minmax(8rem, 1fr)' : 'minmax(7rem, 1fr)',
    isNumber,
    isExtra: priority > 0,
    value,
    ...(isState && { cell: (row: PrintedRow) => <PrintedState text={String(value(row) ?? '')} /> }),
  };
}
