import { StatusError } from '../../api/status.ts';

const hasCode = (error: unknown, code: number) => error instanceof StatusError && error.code === code;

export const isNotFound = (error: unknown): boolean => hasCode(error, 404);
export const isConflict = (error: unknown): boolean => hasCode(error, 409) && (error as StatusError).reason === 'Conflict';
export const isAlreadyExists = (error: unknown): boolean => hasCode(error, 409) && (error as StatusError).reason === 'AlreadyExists';
export const isInvalid = (error: unknown): boolean => hasCode(error, 422);

/** A write was refused because its namespace is going away, and everything in it with it. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof StatusError && error.details?.causes?.some(cause => cause.reason === 'NamespaceTerminating') === true;
}

/** A failure that the object's own status or events tell its owner about: tried again, and nothing for the operator to see. */
export class ToldError extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'ToldError';
  }
}

/** What need not be reported: it was told, the next try mends it because somebody else was faster, or what was meant is going away. */
export const passesByItself = (error: unknown): boolean =>
  error instanceof ToldError || isConflict(error) || isNotFound(error) || isNamespaceTerminating(error);

/** Undefined when what was written to is gone. */
export async function unlessGone<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
