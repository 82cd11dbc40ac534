import { UnreachableError, type Transport, type TransportRequest } from '../../client/transport.ts';

export interface GuardOptions {
  /** Requests that may wait for the head of their answer at once. Default 256. */
  readonly maxWaiting?: number;
  /** So many requests in a row without an answer close the way. Default 3. */
  readonly failuresToClose?: number;
  /** How often one request is let through a closed way, to see whether somebody answers again. Default 1 s. */
  readonly trialEveryMs?: number;
  readonly now?: () => number;
}

/** Those who ask how the member is find out by themselves whether it answers. */
const healthPath = /^\/(?:readyz|livez|healthz|version)(?:[/?]|$)/;

/** Keeps a member that hangs from holding those who ask it: few may wait for it, and while it does not answer most are told so at once. */
export function guardedTransport(transport: Transport, options: GuardOptions = {}): Transport {
  const { maxWaiting = 256, failuresToClose = 3, trialEveryMs = 1000, now = Date.now } = options;
  let waiting = 0;
  let failures = 0;
  let triedAt = -Infinity;
  let lastFailure: UnreachableError | undefined;

  return {
    request: req => guard(req, () => transport.request(req)),
    upgrade: req => guard(req, () => transport.upgrade(req)),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };

  async function guard<T>(req: TransportRequest, send: () => Promise<T>): Promise<T> {
    if (waiting >= maxWaiting) throw new UnreachableError(`${waiting} requests are waiting for its answers already`);
    if (failures >= failuresToClose && !healthPath.test(req.path)) {
      if (now() - triedAt < trialEveryMs) throw new UnreachableError('it does not answer', { cause: lastFailure });
      triedAt = now();
    }
    waiting++;
    try {
      const answer = await send();
      failures = 0;
      return answer;
    } catch (error) {
      if (error instanceof UnreachableError) {
        failures++;
        lastFailure = error;
      }
      throw error;
    } finally {
      waiting--;
    }
  }
}
