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
  /** The one that was used least lately is the first. */
  const used = new Map<string, number>();
  const unwritten = new Map<string, number>();
  const timer = setInterval(() => void flush(), writeEveryMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });

  return {
    note({ metadata }, at) {
      used.delete(metadata.uid!);
      used.set(metadata.uid!, at.getTime());
      if (used.size > rememberedTokens) used.delete(used.keys().next().value!);
      unwritten.set(metadata.name!, at.getTime());
    },
    usedAtMs: ({ metadata }) => used.get(metadata.uid!),
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
