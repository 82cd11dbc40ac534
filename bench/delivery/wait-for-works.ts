import type { KubeClient } from '../../src/client/kube-client.ts';
import { Work } from '../../src/api/work.ts';

/** Watches all Works of a hub. */
export interface WorkWatch extends Disposable {
  /** Resolves when so many Works with this label are applied as their spec says, and whatever else was asked for. */
  applied(count: number, timeoutMs: number): Promise<void>;
  /** How often a Work was written since the last question, by whomever. */
  writes(): Map<string, number>;
  /** All writes so far. */
  readonly total: number;
}

type Waiter = () => void;

export async function watchWorks(hub: KubeClient, labelSelector: string, until: 'Applied' | 'Ready' = 'Applied'): Promise<WorkWatch> {
  const stop = new AbortController();
  const done = new Set<string>();
  const waiters = new Set<Waiter>();
  let writes = new Map<string, number>();
  let total = 0;
  let failure: unknown;
  const synced = Promise.withResolvers<void>();
  void (async () => {
    try {
      for await (const event of hub.watch(Work, { labelSelector, sendInitialEvents: true, signal: stop.signal })) {
        if (event.type === 'EXPIRED') throw new Error('the watch fell behind');
        if (event.type === 'BOOKMARK') {
          synced.resolve();
          continue;
        }
        const key = `${event.object.metadata.namespace}/${event.object.metadata.name}`;
        total++;
        writes.set(key, (writes.get(key) ?? 0) + 1);
        if (event.type !== 'DELETED' && is(until, event.object)) done.add(key);
        else done.delete(key);
        for (const waiter of waiters) waiter();
      }
    } catch (error) {
      failure = error;
      synced.reject(error);
      for (const waiter of waiters) waiter();
    }
  })();
  await synced.promise;
  return {
    get total() {
      return total;
    },
    applied: (count, timeoutMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => end(new Error(`only ${done.size} of ${count} Works were applied within ${timeoutMs} ms`)),
          timeoutMs,
        );
        const end = (error?: unknown): void => {
          clearTimeout(timer);
          waiters.delete(look);
          if (error === undefined) resolve();
          else reject(error);
        };
        const look = (): void => {
          if (failure !== undefined) end(failure);
          else if (done.size === count) end();
        };
        waiters.add(look);
        look();
      }),
    writes() {
      const counted = writes;
      writes = new Map();
      return counted;
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}

function is(wanted: 'Applied' | 'Ready', { metadata, status }: Work): boolean {
  const condition = status?.conditions?.find(({ type }) => type === wanted);
  return condition?.status === 'True' && condition.observedGeneration === metadata.generation;
}
