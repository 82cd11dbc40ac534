/** Answers to questions that cost a request: asked once for all who want to know, and again after a while. */
export interface Rights<Q> {
  /** The answer, as soon as it is known; no when it cannot be asked. */
  ask(question: Q): Promise<boolean>;
  /** What is known now. */
  get(question: Q): boolean | undefined;
  /** Keeps the answer up to date while somebody listens. What could not be asked is asked again soon, and meanwhile the last answer holds. */
  watch(question: Q, listener: () => void): () => void;
  /** Somebody else may sign in. */
  forget(): void;
}

interface Entry {
  askedAt: number;
  value: boolean | undefined;
  asking: Promise<boolean> | undefined;
}

interface RightsOptions<Q> {
  keyOf(question: Q): string;
  /** Throws when there is no answer. */
  ask(question: Q): Promise<boolean>;
  readonly believedMs: number;
  readonly retryMs: number;
}

export function rightsOf<Q>({ keyOf, ask, believedMs, retryMs }: RightsOptions<Q>): Rights<Q> {
  let entries = new Map<string, Entry>();
  const listeners = new Map<string, Set<() => void>>();

  function look(question: Q): Promise<boolean> {
    const key = keyOf(question);
    const entry = entries.get(key) ?? { askedAt: -Infinity, value: undefined, asking: undefined };
    entries.set(key, entry);
    if (entry.asking) return entry.asking;
    if (entry.value !== undefined && Date.now() - entry.askedAt < believedMs) return Promise.resolve(entry.value);
    const asking = ask(question).then(
      value => {
        entry.askedAt = Date.now();
        entry.asking = undefined;
        if (entry.value !== value) {
          entry.value = value;
          for (const listener of listeners.get(key) ?? []) listener();
        }
        return value;
      },
      () => {
        entry.asking = undefined;
        return entry.value ?? false;
      },
    );
    entry.asking = asking;
    return asking;
  }

  return {
    ask: look,
    get: question => entries.get(keyOf(question))?.value,
    watch(question, listener) {
      const key = keyOf(question);
      const all = listeners.get(key) ?? new Set();
      listeners.set(key, all.add(listener));
      let isOver = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      void follow();
      return () => {
        isOver = true;
        clearTimeout(timer);
        all.delete(listener);
        if (all.size === 0) listeners.delete(key);
      };

      async function follow(): Promise<void> {
        await look(question);
        if (isOver) return;
        const { value, askedAt = 0 } = entries.get(key) ?? {};
        const isFresh = value !== undefined && Date.now() - askedAt < believedMs;
        timer = setTimeout(() => void follow(), isFresh ? askedAt + believedMs - Date.now() : retryMs);
      }
    },
    forget() {
      entries = new Map();
    },
  };
}
