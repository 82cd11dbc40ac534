import { useEffect, useState } from 'react';
import { dialectOf } from '../../../api/dialects.ts';
import { servedKinds, type ServedKind } from '../../data/discovery.ts';
import { hubRefuses, seesHub } from '../../data/hub-sight.ts';
import { pathOf } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';

export interface KindRow {
  readonly dialect: string;
  readonly kind: ServedKind;
  /** Undefined while it is not known, or may not be. */
  readonly count: number | undefined;
}

export interface Counts {
  readonly rows: readonly KindRow[];
  readonly isCounting: boolean;
  readonly error: unknown;
}

const atOnce = 6;
const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

interface CountAnswer {
  readonly items?: readonly unknown[] | null;
  readonly metadata?: { readonly remainingItemCount?: number };
}

/** How many there are of a kind: a server says how many it left out, so one is enough to ask for. */
async function countOf(kind: ServedKind): Promise<number | undefined> {
  const { items, metadata } = await request<CountAnswer>(`${pathOf(kind)}?limit=1`, { accept: metadataOnly });
  return (items?.length ?? 0) + (metadata?.remainingItemCount ?? 0);
}

/** Asked for once, and again when somebody wants to: nobody watches fifty kinds. */
export function useCounts(round: number): Counts {
  const [rows, setRows] = useState<readonly KindRow[]>([]);
  const [isCounting, setCounting] = useState(true);
  const [error, setError] = useState<unknown>(() => (seesHub() ? undefined : hubRefuses('kinds')));
  useEffect(() => {
    let isOver = false;
    if (seesHub()) void count();
    else setCounting(false);
    return () => {
      isOver = true;
    };

    async function count(): Promise<void> {
      setCounting(true);
      try {
        const served = (await servedKinds()).flatMap(kind => {
          const dialect = dialectOf(kind.group);
          return dialect === undefined ? [] : [{ dialect, kind, count: undefined }];
        });
        if (!isOver) setRows(before => (before.length > 0 ? before : served));
        const queue = [...served];
        const counted = new Map<ServedKind, number | undefined>();
        const work = async () => {
          for (let next = queue.shift(); next && !isOver; next = queue.shift())
            counted.set(next.kind, await countOf(next.kind).catch(() => undefined));
        };
        await Promise.all(Array.from({ length: atOnce }, work));
        if (isOver) return;
        setRows(served.map(row => ({ ...row, count: counted.get(row.kind) })));
      } catch (failure) {
        if (!isOver) setError(failure);
      }
      if (!isOver) setCounting(false);
    }
  }, [round]);
  return { rows, isCounting, error };
}
