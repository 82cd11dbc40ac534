import { useEffect, useMemo, useState } from 'react';
import { dialectOf, dialects } from '../../../api/dialects.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { servedKinds, type ServedKind } from '../../data/discovery.ts';
import { seesHub, hubRefuses } from '../../data/hub-sight.ts';
import { kindKey, pathOf } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';

interface KindRow {
  readonly dialect: string;
  readonly kind: ServedKind;
  /** Undefined while it is not known, or may not be. */
  readonly count: number | undefined;
}

/** Whose words the hub understands, and how many objects there are of each. */
export function Dialects() {
  const [round, setRound] = useState(0);
  const { rows, isCounting, error } = useCounts(round);
  const on = useMemo(() => Map.groupBy(rows, ({ dialect }) => dialect), [rows]);
  return (
    <Page
      title="Dialects"
      isFilled
      actions={
        <button type="button" className="button" disabled={isCounting} onClick={() => setRound(round + 1)}>
          <Icon name="refresh" />
          Count again
        </button>
      }
    >
      {error !== undefined && <ErrorNote error={error} about="Dialects" />}
      {rows.length === 0 && isCounting && <Loading />}
      {rows.length > 0 && (
        <ul className="row" aria-label="Which are on">
          {dialects.map(({ name }) => (
            <li key={name}>
              <StateBadge tone={on.has(name) ? 'good' : 'idle'} word={`${name}: ${kindsOf(on.get(name)?.length ?? 0)}`} />
            </li>
          ))}
        </ul>
      )}
      <Table
        name="Kinds of dialects"
        rows={rows}
        columns={columns}
        keyOf={({ kind }) => kindKey(kind)}
        state={rows.length === 0 && isCounting ? 'loading' : error === undefined ? 'live' : 'failed'}
        sort="dialect"
        onOpen={({ kind }) => go(`/explore/${kindKey(kind)}?cluster=local`)}
        empty={<p className="muted">The hub serves none of the kinds that are known here.</p>}
      />
    </Page>
  );
}

const kindsOf = (count: number): string => (count === 0 ? 'off' : count === 1 ? '1 kind' : `${count} kinds`);

const columns: readonly Column<KindRow>[] = [
  { id: 'dialect', title: 'Dialect', width: 'minmax(9rem, 1fr)', value: ({ dialect }) => dialect },
  {
    id: 'kind',
    title: 'Kind',
    width: 'minmax(12rem, 1.4fr)',
    value: ({ kind }) => kind.kind,
    cell: ({ kind }) => <PlaceLink to={`/explore/${kindKey(kind)}?cluster=local`}>{kind.kind}</PlaceLink>,
  },
  { id: 'group', title: 'Group', width: 'minmax(12rem, 1.4fr)', value: ({ kind }) => `${kind.group}/${kind.version}` },
  { id: 'count', title: 'Objects', width: '7rem', isNumber: true, value: ({ count }) => count },
];

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
function useCounts(round: number): { readonly rows: readonly KindRow[]; readonly isCounting: boolean; readonly error: unknown } {
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
