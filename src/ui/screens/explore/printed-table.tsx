import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { go, useUrlValue, useUrlValues } from '../../app/place.tsx';
import type { Scope } from '../../app/scope.tsx';
import type { KeyDeeds } from '../../app/shortcuts.tsx';
import { resourceOf, type Kind } from '../../data/kinds.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { withLogs } from '../object/object-place.ts';
import { CompareDialog } from './compare-dialog.tsx';
import { groupRows, type ObjectGroup } from './group-rows.ts';
import { groupedColumns, isGroup, type ShownRow } from './grouped-columns.tsx';
import { columnsOf, placeOf } from './printed-columns.tsx';
import { usePrintedRows, type PrintedRow, type PrintedRows } from './printed-rows.ts';
import { ClusterPages, NotLoaded, RowsChoice, SelectorField } from './table-tools.tsx';

interface PrintedTableProps {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Before the names in the address, for screens with two tables. */
  readonly prefix?: string;
  readonly tools?: ReactNode;
  /** At the end of the row of an object. */
  rowEnd?(row: PrintedRow): ReactNode;
  /** Instead of rows when there are none. */
  readonly empty?: ReactNode;
}

/** Any kind on any clusters, in the columns that the servers print. */
export function PrintedTable({ kind, scope, prefix = '', tools, rowEnd, empty, ...selector }: PrintedTableProps) {
  const [labels] = useUrlValue(`${prefix}labels`);
  const asked = labels === '' ? selector : { ...selector, labelSelector: [selector.labelSelector, labels].filter(Boolean).join() };
  const found = usePrintedRows(kind, scope, asked);
  const hasClusters = scope.clusters.length !== 1;
  const grouping = useGrouping(kind, found, hasClusters, prefix);
  const [compared, setCompared] = useState<ObjectGroup>();
  const { rows, columns, below, flip, isGrouped } = grouping;
  const endOf = useCallback(
    (row: ShownRow) => (isGroup(row) ? <CompareButton group={row} onCompare={setCompared} /> : rowEnd?.(row)),
    [rowEnd],
  );
  const keyDeeds = useMemo(
    (): KeyDeeds<ShownRow> => ({
      edit: row => isGroup(row) || go(`${placeOf(kind, row)}/yaml`),
      ...(withLogs.has(resourceOf(kind)) && { logs: (row: ShownRow) => isGroup(row) || go(`${placeOf(kind, row)}/logs`) }),
      ...(resourceOf(kind) === 'pods' && { shell: (row: ShownRow) => isGroup(row) || go(`${placeOf(kind, row)}/shell`) }),
      ...(isGrouped && { diff: (row: ShownRow) => isGroup(row) && setCompared(row) }),
    }),
    [kind, isGrouped],
  );
  const hasEnd = isGrouped || rowEnd !== undefined;
  return (
    <>
      <Failures failed={found.failed} />
      {hasClusters && <ClusterPages total={found.total} />}
      <NotLoaded left={found.left} />
      <Table
        name={kind.plural}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        state={found.state}
        sort="name"
        isStale={isStale}
        onOpen={row => (isGroup(row) ? flip(row) : go(placeOf(kind, row)))}
        keyDeeds={keyDeeds}
        {...(below && { below })}
        {...(hasEnd && { rowEnd: endOf })}
        prefix={prefix}
        tools={
          <>
            {tools}
            <SelectorField name={`${prefix}labels`} />
            {hasClusters && <RowsChoice name={`${prefix}rows`} />}
          </>
        }
        empty={
          found.clusters.length === 0 ? (
            <Empty title={`No cluster here knows ${resourceOf(kind)}`} command="kubectl api-resources">
              None of the clusters that you look at serves this kind. It may come with a chart that is not installed.
            </Empty>
          ) : (
            (empty ?? (
              <Empty title={`No ${kind.plural} here`} command={`drover get ${kind.plural} --all-clusters${kind.isNamespaced ? ' -A' : ''}`}>
                Nothing of this kind is on the clusters and in the namespace that you look at.
              </Empty>
            ))
          )
        }
      />
      {compared && <CompareDialog kind={kind} group={compared} onClose={() => setCompared(undefined)} />}
    </>
  );
}

const keyOf = (row: ShownRow): string =>
  isGroup(row) ? `group ${row.key}` : `${row.cluster} ${row.object.metadata.uid ?? row.object.metadata.name ?? ''}`;

const isStale = (row: ShownRow): boolean => (isGroup(row) ? row.members.some(one => one.isStale) : row.isStale);

function CompareButton({ group, onCompare }: { group: ObjectGroup; onCompare(group: ObjectGroup): void }) {
  return (
    <button
      type="button"
      className="button bare icon-only"
      aria-label={`Compare ${group.name} between clusters`}
      title="Compare between clusters"
      onClick={() => onCompare(group)}
    >
      <Icon name="compare" />
    </button>
  );
}

/** Rows and columns as somebody wants them: each object by itself, or the same object of all clusters as one row that unfolds. */
function useGrouping(kind: Kind, { rows, columns: printed, clusters }: PrintedRows, hasClusters: boolean, prefix: string) {
  const isGrouped = useUrlValue(`${prefix}rows`)[0] === 'object' && hasClusters;
  const [open, setOpen] = useUrlValues(`${prefix}open`);
  const openKey = open.join('\n');
  const base = useMemo(() => columnsOf(kind, printed, hasClusters), [kind, printed, hasClusters]);
  const shown = useMemo(() => (isGrouped ? groupRows(rows, printed) : rows), [isGrouped, rows, printed]);
  const flip = ({ key }: ObjectGroup) => setOpen(open.includes(key) ? open.filter(one => one !== key) : [...open, key]);
  const columns = useMemo(
    () =>
      isGrouped
        ? groupedColumns(base, { printed, clusters, isOpen: ({ key }) => open.includes(key), flip })
        : (base as readonly Column<ShownRow>[]),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what is unfolded is in the key
    [isGrouped, base, printed, clusters, openKey],
  );
  const below = useMemo(
    () => (isGrouped ? (row: ShownRow) => (isGroup(row) && open.includes(row.key) ? row.members : []) : undefined),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what is unfolded is in the key
    [isGrouped, openKey],
  );
  return { rows: shown, columns, below, flip, isGrouped };
}

const mostFailures = 3;

/** What clusters refuse, the same words once. */
function Failures({ failed }: Pick<PrintedRows, 'failed'>) {
  const byMessage = Map.groupBy(failed, ({ error, asOf }) => `${asOf > 0 ? ', shown as it was' : ''}\n${error?.message}`);
  const all = [...byMessage];
  const names = (lists: PrintedRows['failed']) => {
    const clusters = [...new Set(lists.map(({ wanted }) => String(wanted.cluster)))];
    return clusters.length > 3 ? `${clusters.slice(0, 3).join(', ')} and ${clusters.length - 3} more` : clusters.join(', ');
  };
  return (
    <>
      {all.slice(0, mostFailures).map(([message, lists]) => (
        <ErrorNote key={message} error={lists[0]!.error} about={`${names(lists)}${message.split('\n')[0]}`} />
      ))}
      {all.length > mostFailures && <p className="muted">and {all.length - mostFailures} more clusters that do not answer</p>}
    </>
  );
}
