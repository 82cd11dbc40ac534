import { StatusError } from '../../../api/status.ts';
import { workReasons } from '../../../api/work.ts';
import { UnreachableError } from '../../../client/transport.ts';
import { DeliveryError } from '../../../core/delivery/delivery-error.ts';
import { causesOf, errorText } from '../../../util/error-text.ts';
import type { FailureType } from '../kinds/step.ts';

export interface Trouble {
  readonly type: FailureType;
  readonly message: string;
}

const maxMessageLength = 2000;

/** What an error means that kept a step from beginning. Undefined: somebody else was quicker, which the next attempt settles. */
export function troubleOf(error: unknown): Trouble | undefined {
  const causes = causesOf(error);
  const refusal = causes.find(one => one instanceof StatusError);
  if (refusal?.code === 409) return undefined;
  const isLost = causes.some(
    one => one instanceof UnreachableError || (one instanceof DeliveryError && one.reason === workReasons.clusterUnreachable),
  );
  const type = isLost ? 'Connectivity' : refusal?.code === 401 ? 'Authentication' : 'ApplicationError';
  return { type, message: errorText(error).slice(0, maxMessageLength) };
}
