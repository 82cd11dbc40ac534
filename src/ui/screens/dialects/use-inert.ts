import { useEffect, useState } from 'react';
import { canBeInert, inertFieldsIn } from '../../../api/inert-fields.ts';
import type { ServedKind } from '../../data/discovery.ts';
import { hub, pathOf, type KubeObject } from '../../data/kinds.ts';
import { ApiError, request } from '../../data/request.ts';
import { kindSchema } from '../object/schema-help.ts';
import type { Counts, KindRow } from './use-counts.ts';

export interface InertRow {
  readonly dialect: string;
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly path: string;
  readonly why: string;
}

export interface Inert {
  readonly rows: readonly InertRow[];
  readonly isLooking: boolean;
  /** Kinds of which there are more objects than were looked at. */
  readonly cut: readonly string[];
  readonly error: unknown;
}

const looking: Inert = { rows: [], isLooking: true, cut: [], error: undefined };
/** Of each kind; whoever has more sees the pattern in these. */
const mostObjects = 500;

/** Looks through the objects of dialects for fields of which nothing comes; anew when they have been counted anew. */
export function useInert({ rows, isCounting }: Counts): Inert {
  const [found, setFound] = useState(looking);
  useEffect(() => {
    if (isCounting) return;
    let isOver = false;
    setFound(before => ({ ...before, isLooking: true }));
    Promise.all(rows.filter(({ count = 0 }) => count > 0).map(inertOf)).then(
      all => {
        const cut = all.flatMap(({ kind, isCut }) => (isCut ? [kind] : []));
        if (!isOver) setFound({ rows: all.flatMap(one => one.rows), isLooking: false, cut, error: undefined });
      },
      (error: unknown) => isOver || setFound({ ...looking, isLooking: false, error }),
    );
    return () => {
      isOver = true;
    };
  }, [rows, isCounting]);
  return found;
}

async function inertOf({ dialect, kind }: KindRow): Promise<{ kind: string; rows: InertRow[]; isCut: boolean }> {
  const known = await kindSchema(hub, kind);
  const nothing = { kind: kind.kind, rows: [], isCut: false };
  if (!known || !canBeInert(known.schema)) return nothing;
  try {
    const path = `${pathOf(kind)}?limit=${mostObjects}`;
    const { items, metadata } = await request<{ items: readonly KubeObject[]; metadata: { continue?: string } }>(path);
    // What belongs to another object was not written by a person.
    const own = items.filter(one => (one.metadata.ownerReferences ?? []).length === 0);
    const rows = own.flatMap(object =>
      inertFieldsIn(object, known.schema).map(field => ({
        dialect,
        kind,
        namespace: object.metadata.namespace,
        name: object.metadata.name ?? '',
        ...field,
      })),
    );
    return { kind: kind.kind, rows, isCut: Boolean(metadata.continue) };
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return nothing;
    throw error;
  }
}
