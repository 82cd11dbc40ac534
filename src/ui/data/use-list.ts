import { useCallback, useMemo, useRef, useSyncExternalStore } from 'react';
import { keyOf, nothingListed, watchedList, type Listed, type Wanted } from './watched-list.ts';
import type { Kind, KubeObject } from './kinds.ts';

const never = () => () => {};

/** The objects of a kind, live. Nothing is asked while `wanted` is undefined. */
export function useList<T extends KubeObject = KubeObject>(wanted: Wanted | undefined): Listed<T> {
  const key = wanted && keyOf(wanted);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
  const list = useMemo(() => wanted && watchedList(wanted), [key]);
  return useSyncExternalStore(list?.subscribe ?? never, list?.get ?? (() => nothingListed)) as Listed<T>;
}

export interface ListedIn<T = KubeObject> extends Listed<T> {
  readonly wanted: Wanted;
}

/** The same for several, as many clusters as are named. */
export function useLists<T extends KubeObject = KubeObject>(wanted: readonly Wanted[]): readonly ListedIn<T>[] {
  const key = wanted.map(keyOf).join('\n');
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
  const lists = useMemo(() => wanted.map(one => ({ wanted: one, list: watchedList(one) })), [key]);
  const last = useRef<readonly ListedIn[]>([]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = lists.map(({ list }) => list.subscribe(listener));
      return () => ends.forEach(end => end());
    },
    [lists],
  );
  const get = useCallback(() => {
    const next = lists.map(({ list }) => list.get());
    const isSame = last.current.length === next.length && next.every((one, i) => sources.get(last.current[i]!) === one);
    if (!isSame) last.current = next.map((one, i) => withSource(one, lists[i]!.wanted));
    return last.current;
  }, [lists]);
  return useSyncExternalStore(subscribe, get) as readonly ListedIn<T>[];
}

const sources = new WeakMap<ListedIn, Listed>();

function withSource(listed: Listed, wanted: Wanted): ListedIn {
  const one = { ...listed, wanted };
  sources.set(one, listed);
  return one;
}

/** One object, live; undefined when it is not there. */
export function useObject<T extends KubeObject = KubeObject>(
  kind: Kind,
  place: { readonly cluster?: string | undefined; readonly namespace?: string | undefined; readonly name: string | undefined },
): { readonly object: T | undefined; readonly listed: Listed<T> } {
  const { cluster, namespace, name } = place;
  const listed = useList<T>(name === undefined ? undefined : { cluster, kind, namespace, fieldSelector: `metadata.name=${name}` });
  return { object: listed.items[0], listed };
}
