import type { KubeObject } from '../../api/object.ts';
import { goPrint } from '../../util/go-print.ts';
import type { Json } from '../../util/json.ts';

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

export interface TableRow {
  readonly cells: readonly Json[];
  readonly object?: Pick<KubeObject, 'metadata'>;
}

/** What an API server answers to those who want to show objects to people. */
export interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

export interface TableDecoration {
  /** A column in front. */
  readonly withNamespace?: boolean;
  /** `deployment.apps/web` instead of `web`. */
  readonly kind?: string | undefined;
  readonly labelColumns?: readonly string[];
  readonly showLabels?: boolean;
}

/** The table with the columns that clients add: namespace, kind, labels. */
export function decorateTable(
  table: Table,
  { withNamespace = false, kind, labelColumns = [], showLabels = false }: TableDecoration,
): Table {
  const { columnDefinitions } = table;
  const nameColumn = kind === undefined ? -1 : columnDefinitions.findIndex(one => one.format === 'name' && one.type === 'string');
  return {
    ...table,
    columnDefinitions: [
      ...(withNamespace ? [textColumn('Namespace')] : []),
      ...columnDefinitions,
      ...labelColumns.map(label => textColumn(label.split('/').at(-1)!)),
      ...(showLabels ? [textColumn('Labels')] : []),
    ],
    rows: table.rows.map(({ cells, object, ...row }) => {
      const { namespace = '', labels = {} } = object?.metadata ?? {};
      const named = cells.map((cell, i) => (i === nameColumn ? `${kind}/${goPrint(cell)}` : cell));
      return {
        ...row,
        ...(object && { object }),
        cells: [
          ...(withNamespace ? [namespace] : []),
          ...named,
          ...labelColumns.map(label => labels[label] ?? ''),
          ...(showLabels ? [labelsText(labels)] : []),
        ],
      };
    }),
  };
}

/** Puts a column before the one at `position`. */
export function insertColumn(table: Table, position: number, name: string, cellOf: (row: TableRow) => string): Table {
  const inserted = <T>(list: readonly T[], one: T) => [...list.slice(0, position), one, ...list.slice(position)];
  return {
    ...table,
    columnDefinitions: inserted(table.columnDefinitions, textColumn(name)),
    rows: table.rows.map(row => ({ ...row, cells: inserted<Json>(row.cells, cellOf(row)) })),
  };
}

const textColumn = (name: string): TableColumn => ({ name, type: 'string' });

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.keys(labels)
    .sort()
    .map(key => `${key}=${labels[key]}`);
  return pairs.length === 0 ? '<none>' : pairs.join(',');
}
