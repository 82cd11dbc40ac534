/** One committed change, as the journal keeps it. `value` is absent for deletions. */
export interface JournalRow {
  readonly revision: number;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly value: Uint8Array;
}

export interface JournalBatch {
  readonly rows: readonly JournalRow[];
  /** Revisions of rows that no reader can ask for any more. */
  readonly obsolete: readonly number[];
  /** History is complete only after this revision. */
  readonly compactedRevision: number;
}

/**
 * Where commits become durable. `append` resolves when the whole batch has reached the disk and rejects when none of it has;
 * after StorageFullError the journal is usable again as soon as there is space. Any other failure is final: the process must end.
 */
export interface Journal {
  /** Hands over every row in the order of revisions. Called once, before the first append. */
  load(onRows: (rows: JournalRow[]) => void): Promise<{ compactedRevision: number }>;
  append(batch: JournalBatch): Promise<void>;
  close(): Promise<void>;
}

export class StorageFullError extends Error {
  override name = 'StorageFullError';
}

/** Forgets everything with the process: for tests and for clusters nobody needs tomorrow. */
export function memoryJournal(): Journal {
  return {
    load: () => Promise.resolve({ compactedRevision: 0 }),
    append: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
