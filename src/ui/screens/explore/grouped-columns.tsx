import type { TableColumn } from '../../data/watched-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { CellValue, Column } from '../../parts/table/columns.ts';
import { deviatingClusters, deviationText, type ObjectGroup } from './group-rows.ts';
import { clusterTitle, type PrintedColumn } from './printed-columns.tsx';
import type { PrintedRow } from './printed-rows.ts';
import { toneOfRow } from './printed-state.tsx';

/** A row of a table of objects: one object on one cluster, or the same on several. */
export type ShownRow = PrintedRow | ObjectGroup;

export const isGroup = (row: ShownRow): row is ObjectGroup => 'members' in row;

interface Grouping {
  readonly printed: readonly TableColumn[];
  /** All that were asked, so that each has its place in the picture. */
  readonly clusters: readonly string[];
  isOpen(group: ObjectGroup): boolean;
  flip(group: ObjectGroup): void;
}

/** The columns of single objects, and what groups show in them: what all clusters have in common, where each is, and which differ. */
export function groupedColumns(columns: readonly PrintedColumn[], grouping: Grouping): readonly Column<ShownRow>[] {
  const [name, ...others] = columns.filter(one => one.id !== 'cluster');
  const { isOpen, flip } = grouping;
  return [
    {
      ...ofEither(name!, group => group.name),
      width: 'minmax(11rem, 1.6fr)',
      cell: row =>
        isGroup(row) ? (
          <button type="button" className="unfold" aria-expanded={isOpen(row)} onClick={() => flip(row)}>
            <Icon name="next" size={13} className={isOpen(row) ? 'turned' : ''} />
            <span className="cut">{row.name}</span>
          </button>
        ) : (
          name!.cell!(row)
        ),
    },
    {
      id: 'cluster',
      title: 'Clusters',
      width: 'minmax(8.5rem, 1.2fr)',
      value: row => (isGroup(row) ? row.members.map(one => clusterTitle(one.cluster)).join(' ') : clusterTitle(row.cluster)),
      cell: row => (isGroup(row) ? <Spread group={row} {...grouping} /> : clusterTitle(row.cluster)),
    },
    {
      id: 'differs',
      title: 'Differs',
      width: 'minmax(12rem, 2fr)',
      value: row => (isGroup(row) ? row.differences.map(deviationText).join('; ') : ''),
      cell: row => (isGroup(row) ? <Differences group={row} /> : ''),
    },
    ...others.map(column =>
      column.at === undefined
        ? { ...ofEither(column, group => column.value(group.members[0]!)), cell: firstCell(column) }
        : {
            ...ofEither(column, group => group.common[column.at!]),
            width: 'minmax(6rem, 1fr)',
            cell: commonCell(column, column.at),
          },
    ),
  ];
}

function ofEither({ id, title, width, isNumber, isExtra, value }: PrintedColumn, ofGroup: (group: ObjectGroup) => CellValue) {
  return {
    id,
    title,
    ...(width !== undefined && { width }),
    ...(isNumber !== undefined && { isNumber }),
    ...(isExtra !== undefined && { isExtra }),
    value: (row: ShownRow) => (isGroup(row) ? ofGroup(row) : value(row)),
  };
}

const cellOf = (column: PrintedColumn, row: PrintedRow) => (column.cell ? column.cell(row) : column.value(row));

const firstCell = (column: PrintedColumn) => (row: ShownRow) => cellOf(column, isGroup(row) ? row.members[0]! : row);

const commonCell = (column: PrintedColumn, at: number) => (row: ShownRow) => {
  if (!isGroup(row)) return cellOf(column, row);
  return row.common[at] === undefined ? <span className="muted">various</span> : cellOf(column, row.members[0]!);
};

/** A square for each cluster, always at the same place; hollow where the object is not. */
function Spread({ group, printed, clusters }: { group: ObjectGroup } & Pick<Grouping, 'printed' | 'clusters'>) {
  const byCluster = new Map(group.members.map(one => [one.cluster, one]));
  const odd = deviatingClusters(group);
  const absent = clusters.filter(one => !byCluster.has(one)).map(clusterTitle);
  return (
    <span className="row" title={absent.length > 0 ? `Not on ${absent.join(', ')}` : undefined}>
      <span className="spread" aria-hidden="true">
        {clusters.map(cluster => {
          const row = byCluster.get(cluster);
          const look = row ? toneOfRow(row, printed) : 'absent';
          return <span key={cluster} className={`${look} ${odd.has(cluster) ? 'odd' : ''}`} title={clusterTitle(cluster)} />;
        })}
      </span>
      <span className="number">
        {group.members.length} of {clusters.length}
      </span>
    </span>
  );
}

function Differences({ group: { differences } }: { group: ObjectGroup }) {
  if (differences.length === 0) return <span className="muted">the same everywhere</span>;
  const text = differences.map(deviationText).join('; ');
  return (
    <span className="row nowrap" title={text}>
      <StateBadge tone="warn" word="Differs" />
      <span className="cut">{text}</span>
    </span>
  );
}
