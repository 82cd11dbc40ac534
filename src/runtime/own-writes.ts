import { isOlderVersion, type KubeObject } from '../api/object.ts';
import type { Informer } from './informer.ts';
import { keyOf, type Key } from './key.ts';

/** What an informer knows, and what this process wrote since: a watch tells of one's own writes too late for whoever decides meanwhile. */
export interface OwnWrites<T extends KubeObject> {
  /** An object as the server answered it. */
  note(obj: T): void;
  get(key: Key): T | undefined;
  by(index: string, value: string): T[];
}

const mostGone = 10_000;

/** The index must be one of those that the informer has. */
export function ownWrites<T extends KubeObject>(
  informer: Informer<T>,
  { indexes, signal }: { readonly indexes: Readonly<Record<string, (obj: T) => readonly string[]>>; readonly signal: AbortSignal },
): OwnWrites<T> {
  const ahead = new Map<Key, T>();
  /** Those that went last: what was written before may be heard of afterwards. */
  const gone = new Set<string>();
  const subscription = informer.subscribe(({ type, object }) => {
    const key = keyOf(object);
    if (type === 'DELETED') {
      gone.add(object.metadata.uid ?? '');
      if (gone.size > mostGone) gone.delete(gone.values().next().value!);
    }
    const own = ahead.get(key);
    if (own && (type === 'DELETED' || !isOlderVersion(object.metadata.resourceVersion, own.metadata.resourceVersion))) ahead.delete(key);
  });
  signal.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true });
  return {
    note(obj) {
      if (gone.has(obj.metadata.uid ?? '')) return;
      const key = keyOf(obj);
      const cached = informer.get(key);
      if (!cached || isOlderVersion(cached.metadata.resourceVersion, obj.metadata.resourceVersion)) ahead.set(key, obj);
    },
    get: key => ahead.get(key) ?? informer.get(key),
    by(index, value) {
      if (ahead.size === 0) return informer.by(index, value);
      const own = [...ahead.values()].filter(obj => indexes[index]!(obj).includes(value));
      return [...informer.by(index, value).filter(obj => !ahead.has(keyOf(obj))), ...own];
    },
  };
}
