import { qualifiedKind } from '../../api/object.ts';
import type { Json } from '../../util/json.ts';
import { mergeTables } from '../output/merge-tables.ts';
import { sortBy } from '../output/sort-by.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { TablePrinter } from '../output/table-printer.ts';
import { insertColumn, type Table } from '../output/table.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { tableOf } from './answers.ts';
import type { Collected } from './collect.ts';

export interface TableOptions {
  readonly allNamespaces: boolean;
  readonly wide: boolean;
  readonly noHeaders: boolean;
  readonly showKind: boolean;
  readonly showLabels: boolean;
  readonly labelColumns: readonly string[];
  readonly sortBy?: string | readonly string[] | undefined;
}

interface TypedTable {
  readonly resource: ApiResource;
  readonly table: Table;
}

/** The tables of all answers, one for each type, parted by empty lines. Empty when there is nothing to show. */
export function printTables(collected: readonly Collected[], options: TableOptions, now: Date): string {
  const typed = tablesByType(collected, now);
  const kinds = new Set(typed.map(({ resource }) => kindOf(resource)));
  const texts = typed.map(({ resource, table }) => {
    const writer = new TabWriter();
    const rows = options.sortBy === undefined ? table.rows : sortBy(table.rows, options.sortBy, row => row.object as unknown as Json);
    printerFor(resource, options, kinds.size > 1).print({ ...table, rows }, writer);
    return writer.flush();
  });
  return texts.filter(text => text !== '').join(options.noHeaders ? '' : '\n');
}

export function printerFor(resource: ApiResource, options: TableOptions, isOneOfMany: boolean): TablePrinter {
  return new TablePrinter({
    ...options,
    withNamespace: options.allNamespaces && resource.scope === 'Namespaced',
    kind: options.showKind || isOneOfMany ? kindOf(resource).toLowerCase() : undefined,
  });
}

const kindOf = (resource: ApiResource) => qualifiedKind(resource);

/** One table for each type, with the rows of all members in the order of their names. Of one API, tables come in the order in which they were asked for, as with kubectl. */
function tablesByType(collected: readonly Collected[], now: Date): TypedTable[] {
  const byType = new Map<string, { resource: ApiResource; tables: Table[] }>();
  for (const { source, parts } of collected)
    for (const [i, { resource, answers }] of parts.entries()) {
      if (answers.length === 0) continue;
      const key = `${resource.resource}.${resource.group} ${collected.length === 1 ? i : ''}`;
      const known = byType.get(key) ?? { resource, tables: [] };
      byType.set(key, known);
      known.tables.push(...answers.map(answer => withCluster(tableOf(answer, now), source.cluster)));
    }
  return [...byType.values()].map(({ resource, tables }) => ({ resource, table: mergeTables(tables) }));
}

/** Names the member behind the name of the object. */
export function withCluster(table: Table, cluster: string | undefined): Table {
  if (cluster === undefined || table.columnDefinitions.length === 0) return table;
  const name = table.columnDefinitions.findIndex(column => column.format === 'name');
  return insertColumn(table, name + 1, 'Cluster', () => cluster);
}
