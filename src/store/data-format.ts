import type { DatabaseSync } from 'node:sqlite';

/** Grows when a file is written in a way that programs of before cannot read. Files without a number are of the first. */
export const dataFormat = 1;

/** Refuses what a newer program has written, before anything is changed; a new file gets the number. */
export function checkFormat(db: DatabaseSync): void {
  const { user_version: found } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (found > dataFormat)
    throw new Error(
      `a newer Drover wrote it (format ${found}, this one knows ${dataFormat}); nothing was changed: start that version again, or choose another folder with --data`,
    );
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (isNew) db.exec(`PRAGMA user_version = ${dataFormat}`);
}
