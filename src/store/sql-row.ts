import type { JournalRow } from './journal.ts';

/** Operations by the numbers under which files keep them. */
export const operations = ['create', 'update', 'delete'] as const;

/** A row of the log as SQLite gives it. */
export function journalRow(row: Record<string, unknown>): JournalRow {
  return {
    revision: Number(row.revision),
    resource: String(row.resource),
    namespace: String(row.namespace),
    name: String(row.name),
    operation: operations[Number(row.operation)]!,
    value: row.value as Uint8Array,
  };
}
