import { useEffect, useMemo, useState } from 'react';
import { kinds, pathOf } from '../../../data/kinds.ts';
import { request } from '../../../data/request.ts';
import type { Trace } from './trace-of.ts';

/** A Work as the server prints it. */
export interface CompiledWork {
  readonly namespace: string;
  readonly name: string;
  readonly cluster: string;
  readonly ready: string;
  readonly reason: string;
}

export interface CompiledWorks {
  readonly works: readonly CompiledWork[];
  readonly isLooking: boolean;
  /** Whether there are more Works than were looked through. */
  readonly isCut: boolean;
  readonly error: unknown;
}

interface PrintedWorks {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { readonly metadata: Metadata } }[];
  readonly metadata: { readonly continue?: string };
}

interface Metadata {
  readonly namespace: string;
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const pageSize = 500;
const mostPages = 10;
const looking: CompiledWorks = { works: [], isLooking: true, isCut: false, error: undefined };

/** Looks once through the Works of the hub, or of one cluster, for those of an object: what they are for is not written where servers could search. */
export function useCompiledWorks(trace: Trace['works'], key: string): CompiledWorks {
  const [found, setFound] = useState(looking);
  // What an object is does not change with what happens to it.
  const wanted = useMemo(
    () => trace,
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
    [key],
  );
  useEffect(() => {
    if (!wanted) return;
    const stop = new AbortController();
    setFound(looking);
    lookFor(wanted, stop.signal).then(
      one => setFound({ ...one, isLooking: false, error: undefined }),
      (error: unknown) => stop.signal.aborted || setFound({ ...looking, isLooking: false, error }),
    );
    return () => stop.abort();
  }, [wanted]);
  return found;
}

async function lookFor(
  { namespace, isOne }: NonNullable<Trace['works']>,
  signal: AbortSignal,
): Promise<Pick<CompiledWorks, 'works' | 'isCut'>> {
  const works: CompiledWork[] = [];
  let next = '';
  for (let page = 0; page < mostPages; page++) {
    const path = `${pathOf(kinds.work, { namespace })}?limit=${pageSize}&includeObject=Metadata&continue=${encodeURIComponent(next)}`;
    const { columnDefinitions, rows, metadata } = await request<PrintedWorks>(path, { accept, signal });
    const cellOf = (name: string) => {
      const at = columnDefinitions.findIndex(one => one.name === name);
      return (cells: readonly unknown[]) => (cells[at] === undefined || cells[at] === null ? '' : String(cells[at]));
    };
    const [cluster, ready, reason] = [cellOf('Cluster'), cellOf('Ready'), cellOf('Reason')];
    for (const { cells, object } of rows) {
      const { namespace: at, name, annotations = {} } = object.metadata;
      if (isOne(annotations))
        works.push({ namespace: at, name, cluster: cluster(cells) || at, ready: ready(cells), reason: reason(cells) });
    }
    next = metadata.continue ?? '';
    if (next === '') return { works, isCut: false };
  }
  return { works, isCut: true };
}
