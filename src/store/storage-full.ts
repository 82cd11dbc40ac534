/** SQLITE_FULL, and the answers of a file system that is out of space or over its quota. */
export function isStorageFull(error: unknown): boolean {
  const { errcode, message } = error as { errcode?: number; message?: string };
  return errcode === 13 || /database or disk is full|ENOSPC|EDQUOT/.test(message ?? '');
}

/** SQLITE_BUSY: another process has the file. */
export function isLocked(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5;
}
