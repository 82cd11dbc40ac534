import { StatusError } from '../../api/status.ts';
import { workReasons } from '../../api/work.ts';
import { UnreachableError } from '../../client/transport.ts';
import { causesOf } from '../../util/error-text.ts';
import { DeliveryError, type WorkReason } from '../delivery/delivery-error.ts';

interface ReleaseErrorOptions {
  readonly revision: number;
  readonly undone?: 'RolledBack' | 'Uninstalled';
  readonly cause?: unknown;
}

/** A release that failed, and is recorded as failed on the member. Everything else that is thrown leaves the revision pending. */
export class ReleaseError extends DeliveryError {
  readonly revision: number;
  /** What was done about it, for atomic deliveries. */
  readonly undone: 'RolledBack' | 'Uninstalled' | undefined;

  constructor(message: string, { revision, undone, cause }: ReleaseErrorOptions) {
    const inner = causesOf(cause).find(error => error instanceof DeliveryError);
    const reason: WorkReason = inner?.reason ?? workReasons.applyFailed;
    super(reason, message, { object: inner?.object, isFinal: inner?.isFinal ?? false, cause });
    this.revision = revision;
    this.undone = undone;
  }
}

/** Whether it says nothing about what is delivered: the same step may go well the next time. Then the revision stays pending. */
export function isPassing(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted) return true;
  return causesOf(error).some(cause => {
    if (cause instanceof UnreachableError) return true;
    if (!(cause instanceof StatusError)) return cause instanceof Error && (cause.name === 'AbortError' || cause.name === 'TimeoutError');
    return passingCodes.has(cause.code) || (cause.code === 409 && cause.reason === 'Conflict');
  });
}

/** Too busy, not there just now; and credentials that are about to be renewed. */
const passingCodes = new Set([401, 429, 502, 503, 504]);
