import { setTimeout as sleep } from 'node:timers/promises';
import type { KindRef } from '../../src/api/define-kind.ts';
import type { KubeObject } from '../../src/api/object.ts';
import type { KubeClient, ListOptions } from '../../src/client/kube-client.ts';

/** A watch that waits for something. */
export interface FirstSeen extends Disposable {
  /** The watch has seen what there is. */
  readonly isWatching: Promise<void>;
  /** The time, as of performance.now(), at which an object first was right. */
  readonly atMs: Promise<number>;
}

/** Watches objects until one is right. `isRight` hears all of them, those that were there included. */
export function firstSeen<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef<T>,
  options: ListOptions,
  isRight: (obj: T) => boolean,
): FirstSeen {
  const stop = new AbortController();
  const watching = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<number>();
  void follow();
  return { isWatching: watching.promise, atMs: seen.promise, [Symbol.dispose]: () => stop.abort() };

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        for await (const event of client.watch(kind, { ...options, sendInitialEvents: true, signal: stop.signal })) {
          if (event.type === 'BOOKMARK') watching.resolve();
          if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
          if (isRight(event.object)) return seen.resolve(performance.now());
        }
      } catch {
        // A stream that broke is begun anew.
      }
      await sleep(100);
    }
  }
}
