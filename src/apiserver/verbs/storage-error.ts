import { serviceUnavailable } from '../../api/status.ts';
import { StorageFullError } from '../../store/journal.ts';

/** Gives errors of the store the form in which clients understand them. */
export function storageError(error: unknown): unknown {
  if (error instanceof StorageFullError)
    return serviceUnavailable('storage full: free space on the disk that holds the data, or delete objects', 5);
  return error;
}
