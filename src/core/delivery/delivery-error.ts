import type { workReasons } from '../../api/work.ts';
import type { ObjectRef } from './object-ref.ts';

export type WorkReason = (typeof workReasons)[keyof typeof workReasons];

interface DeliveryErrorOptions {
  readonly object?: ObjectRef | undefined;
  readonly isFinal?: boolean;
  readonly cause?: unknown;
}

/** Why something could not be delivered to a member, in words a person can act on. The cause has those of the member itself. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly reason: WorkReason;
  readonly object: ObjectRef | undefined;
  /** The same delivery fails again until a person changes something. */
  readonly isFinal: boolean;

  constructor(reason: WorkReason, message: string, { object, isFinal = false, cause }: DeliveryErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.object = object;
    this.isFinal = isFinal;
  }
}
