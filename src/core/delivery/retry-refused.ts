import { setTimeout as sleep } from 'node:timers/promises';
import { StatusError } from '../../api/status.ts';
import { UnreachableError } from '../../client/transport.ts';
import { retryDelayMs } from '../../runtime/retry-delay.ts';

interface RetryOptions {
  readonly signal: AbortSignal;
  /** The kind was defined a moment ago, and not all of the member may know it yet. */
  readonly mayBeMissing?: boolean;
}

const policy = { firstDelayMs: 100, maxDelayMs: 3_000 };
const maxAttempts = 5;
const maxLooks = 20;
const lookEveryMs = 500;
const longestWaitMs = 10_000;
/** Whoever takes longer to fail is not worth asking again here: the whole delivery is tried again later. */
const quickMs = 3_000;

/** Tries again what may pass by itself. The call must be one that can be repeated. */
export async function retryRefused<T>(call: () => Promise<T>, { signal, mayBeMissing = false }: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const startedAtMs = performance.now();
    try {
      return await call();
    } catch (error) {
      const tookMs = performance.now() - startedAtMs;
      // Others on the member will bring it, in some seconds at most.
      const isComing = (mayBeMissing && isNoSuchKind(error)) || lacksAccount(error);
      if (attempt >= (isComing ? maxLooks : maxAttempts) || signal.aborted) throw error;
      const waitMs = isComing ? lookEveryMs : waitBeforeNext(error, attempt, tookMs);
      if (waitMs === undefined) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
}

export function isNoSuchKind(error: unknown): boolean {
  return error instanceof StatusError && error.code === 404 && (error.details?.name ?? '') === '';
}

/** A new namespace gets its account a moment later. */
function lacksAccount(error: unknown): boolean {
  return error instanceof StatusError && error.code === 403 && /serviceaccount "default" not found/.test(error.message);
}

function waitBeforeNext(error: unknown, attempt: number, tookMs: number): number | undefined {
  if (tookMs >= quickMs) return undefined;
  if (error instanceof UnreachableError) return attempt < 3 ? retryDelayMs(attempt, policy) : undefined;
  if (!(error instanceof StatusError) || !isPassing(error)) return undefined;
  const { retryAfterSeconds = 0 } = error.details ?? {};
  const waitMs = Math.max(retryAfterSeconds * 1000, retryDelayMs(attempt, policy));
  return waitMs > longestWaitMs ? undefined : waitMs;
}

/** Answers of a server that is busy, restarts, or lost a race with another writer. */
function isPassing({ code, reason, message }: StatusError): boolean {
  if (code === 409) return reason === 'AlreadyExists' || message.includes('please apply your changes to the latest version');
  if (code === 500) return /failed calling webhook|etcdserver: (?!request is too large)|context deadline exceeded/.test(message);
  return code === 429 || code === 502 || code === 503 || code === 504;
}
