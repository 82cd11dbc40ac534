import type { JournalBatch, JournalRow } from './journal.ts';

export type JournalRequest = { type: 'load' } | { type: 'append'; id: number; batch: PackedBatch } | { type: 'close' };

/** Many rows in two pieces, so that their values travel between threads without being copied. */
export interface PackedRows {
  heads: [revision: number, resource: string, namespace: string, name: string, operation: JournalRow['operation'], length: number][];
  values: Uint8Array<ArrayBuffer>;
}

export interface PackedBatch extends Omit<JournalBatch, 'rows'> {
  rows: PackedRows;
}

export type JournalReply =
  | { type: 'opened' }
  | { type: 'refused'; locked: boolean; message: string }
  | { type: 'rows'; rows: PackedRows }
  | { type: 'loaded'; compactedRevision: number }
  | { type: 'appended'; id: number }
  | { type: 'full'; id: number; message: string }
  | { type: 'closed' };

export function packRows(rows: readonly JournalRow[]): PackedRows {
  const values = new Uint8Array(rows.reduce((sum, row) => sum + row.value.length, 0));
  let offset = 0;
  const heads = rows.map(({ revision, resource, namespace, name, operation, value }): PackedRows['heads'][number] => {
    values.set(value, offset);
    offset += value.length;
    return [revision, resource, namespace, name, operation, value.length];
  });
  return { heads, values };
}

export function unpackRows({ heads, values }: PackedRows): JournalRow[] {
  let offset = 0;
  return heads.map(([revision, resource, namespace, name, operation, length]) => {
    const value = values.subarray(offset, offset + length);
    offset += length;
    return { revision, resource, namespace, name, operation, value };
  });
}
