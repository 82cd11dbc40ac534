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

/** What is Kubernetes' own is everywhere. */
const isEverywhere = ({ group }: Kind): boolean => !group.includes('.') || group.endsWith('.k8s.io');
const lookAgainMs = 60_000;

/**
 * Those of some clusters that serve a kind; undefined until it is known. One that cannot be asked is among them: its list says why. A request for what is not
 * served would be an error in the browser's console.
 */
export function useServing(kind: Kind, clusters: readonly string[]): readonly string[] | undefined {
  const [found, setFound] = useState<{ key: string; serving: readonly string[] }>();
  const key = `${kind.group} ${kind.plural} ${clusters.join()}`;
  const isPlain = isEverywhere(kind);
  useEffect(() => {
    if (isPlain) return;
    let isOver = false;
    const look = async () => {
      const serving = await Promise.all(clusters.map(async cluster => ((await serves(cluster, kind)) ? [cluster] : [])));
      if (!isOver) setFound({ key, serving: serving.flat() });
    };
    void look();
    const timer = setInterval(() => void look(), lookAgainMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
  }, [key, isPlain]);
  if (isPlain) return clusters;
  return found?.key === key ? found.serving : undefined;
}

function serves(cluster: string, { group, plural }: Kind): Promise<boolean> {
  return servedKinds(cluster).then(
    all => all.some(one => one.group === group && one.plural === plural),
    () => true,
  );
}

/** A list of a kind that not every cluster serves; nothing is asked of those that do not. */
export function useListIfServed<T extends KubeObject = KubeObject>(wanted: Wanted): Listed<T> & { readonly isServed: boolean | undefined } {
  const isServed = useServed(wanted.kind, wanted.cluster);
  return { ...useList<T>(isServed ? wanted : undefined), isServed };
}
