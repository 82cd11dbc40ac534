import type { CallOptions } from './kube-client.ts';
import { UnreachableError } from './transport.ts';
import { longestTimerMs } from '../util/timer-limits.ts';

const defaultTimeoutMs = 30_000;

/** Runs a call under one signal that fires when the caller gives up (its own reason is thrown) or when time is up (UnreachableError). */
export async function underDeadline<T>(options: CallOptions, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, timeoutMs = defaultTimeoutMs } = options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const giveUp = () => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new UnreachableError(`no answer within ${timeoutMs / 1000} s`)),
    Math.min(timeoutMs, longestTimerMs),
  );
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await call(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}
