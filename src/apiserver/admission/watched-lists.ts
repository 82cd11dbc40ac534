import type { GroupResource, KubeObject } from '../../api/object.ts';
import type { ClusterApi } from '../cluster-api.ts';

/** Parsed objects of a resource, read again only after the resource has changed. */
export interface WatchedList<T> {
  all(): readonly T[];
  in(namespace: string): readonly T[];
}

/** Lists that many requests look at and few change: one listener marks what is stale, the next reader reads it. */
export interface WatchedLists {
  list<T>(gr: GroupResource, parse: (obj: KubeObject) => T): WatchedList<T>;
}

export function watchedLists(api: ClusterApi): WatchedLists {
  const stale = new Map<string, ((namespace: string) => void)[]>();
  api.subscribe(({ resource, namespace }) => {
    const listeners = stale.get(`${resource.group}/${resource.resource}`);
    if (listeners) for (const listener of listeners) listener(namespace);
  });

  return {
    list<T>(gr: GroupResource, parse: (obj: KubeObject) => T): WatchedList<T> {
      const parsed = new WeakMap<KubeObject, T>();
      const byNamespace = new Map<string, readonly T[]>();
      let everything: readonly T[] | undefined;
      const key = `${gr.group}/${gr.resource}`;
      const listeners = stale.get(key) ?? [];
      stale.set(key, [...listeners, forget]);
      return { all, in: inNamespace };

      function forget(namespace: string): void {
        everything = undefined;
        byNamespace.delete(namespace);
      }

      function all(): readonly T[] {
        return (everything ??= api.peekAll(gr).map(read));
      }

      function inNamespace(namespace: string): readonly T[] {
        let found = byNamespace.get(namespace);
        if (!found) byNamespace.set(namespace, (found = api.peekAll(gr, namespace).map(read)));
        return found;
      }

      function read(obj: KubeObject): T {
        let value = parsed.get(obj);
        if (value === undefined) parsed.set(obj, (value = parse(obj)));
        return value;
      }
    },
  };
}
