import { StatusError } from '../api/status.ts';
import type { ObjectKey } from './kube-client.ts';

/** Whether the server says that this object is missing, and not its whole kind. */
export function isMissing(error: unknown, { name }: ObjectKey): boolean {
  return error instanceof StatusError && error.code === 404 && error.details?.name === name;
}
