import { useEffect, useState } from 'react';
import type { Kind, KubeObject } from './kinds.ts';
import { servedKinds, type ServedKind } from './discovery.ts';
import { useList } from './use-list.ts';
import type { Listed, Wanted } from './watched-list.ts';

/** Whether a cluster serves a kind; undefined until it is known. */
export function useServed({ group, plural }: Kind, cluster?: string): boolean | undefined {
  const [served, setServed] = useState<boolean>();
  useEffect(() => {
    let isOver = false;
    servedKinds(cluster).then(
      all => isOver || setServed(all.some(one => one.group === group && one.plural === plural)),
      () => isOver || setServed(false),
    );
    return () => {
      isOver = true;
    };
  }, [group, plural, cluster]);
  return served;
}

/** The kinds that a cluster serves; none until they are known, or when no cluster is named. */
export function useServedKinds(cluster: string | undefined): readonly ServedKind[] {
  const [kinds, setKinds] = useState<readonly ServedKind[]>([]);
  useEffect(() => {
    let isOver = false;
    if (cluster !== undefined)
      servedKinds(cluster).then(
        all => isOver || setKinds(all),
        () => isOver || setKinds([]),
      );
    return () => {
      isOver = true;
    };
  }, [cluster]);
  return kinds;
}

/** A list of a kind that not every cluster serves; nothing is asked of those that do not. */
export function useListIfServed<T extends KubeObject = KubeObject>(wanted: Wanted): Listed<T> & { readonly isServed: boolean | undefined } {
  const isServed = useServed(wanted.kind, wanted.cluster);
  return { ...useList<T>(isServed ? wanted : undefined), isServed };
}
