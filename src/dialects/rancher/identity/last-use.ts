import { LRUCache } from 'lru-cache';
import type { KubeClient } from '../../../client/kube-client.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { Token } from '../kinds/user.ts';

/** When tokens were last used: known at once, written now and then. */
export interface LastUse {
  note(token: Token, at: Date): void;
  usedAtMs(token: Token): number | undefined;
  /** Writes what has not been written yet. */
  flush(): Promise<void>;
}

export interface LastUseOptions {
  readonly signal: AbortSignal;
  /** Default one minute. */
  readonly writeEveryMs?: number;
  onError(error: unknown): void;
}

/** Of those beyond it, what was written counts. */
const rememberedTokens = 100_000;
const writesAtOnce = 8;
const timeoutMs = 10_000;

export function lastUse(hub: KubeClient, { signal, writeEveryMs = 60_000, onError }: LastUseOptions): LastUse {
  // Room for so many takes time to make, and most hubs start without anybody.
  let used: LRUCache<string, number> | undefined;
  const unwritten = new Map<string, number>();
  const timer = setInterval(() => void flush(), writeEveryMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });

  return {
    note({ metadata }, at) {
      used ??= new LRUCache({ max: rememberedTokens });
      used.set(metadata.uid!, at.getTime());
      unwritten.set(metadata.name!, at.getTime());
    },
    usedAtMs: ({ metadata }) => used?.get(metadata.uid!),
    flush,
  };

  async function flush(): Promise<void> {
    const notes = [...unwritten];
    unwritten.clear();
    await mapBounded(notes, writesAtOnce, async ([name, atMs]) => {
      const body = { lastUsedAt: timestamp(new Date(atMs)) };
      await hub.patch(Token, { name }, { type: 'merge', body }, { signal, timeoutMs }).catch((error: unknown) => {
        if (!signal.aborted && (error as { code?: unknown }).code !== 404) onError(error);
      });
    });
  }
}
