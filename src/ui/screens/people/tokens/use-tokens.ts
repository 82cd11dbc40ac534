import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Token } from '../people-kinds.ts';
import { useMay } from '../../../data/permissions.ts';
import { ApiError, request } from '../../../data/request.ts';
import { getPerson } from '../../../data/session.ts';
import { useList } from '../../../data/use-list.ts';
import type { ListState } from '../../../data/watched-list.ts';
import { peopleKinds } from '../people-kinds.ts';
import { tokenRows, type OwnToken, type TokenRow } from './token-row.ts';

export interface ShownTokens {
  readonly rows: readonly TokenRow[];
  readonly state: ListState;
  readonly error: ApiError | undefined;
  /** Whether those of others are among them. */
  readonly isAll: boolean;
  /** Asks again for those that are not heard of by themselves. */
  look(): void;
}

/** All tokens, live, for those who may list them; the own ones for everybody else. */
export function useTokens(): ShownTokens {
  const mayList = useMay({ verb: 'list', kind: peopleKinds.token });
  const all = useList<Token>(mayList ? { kind: peopleKinds.token } : undefined);
  const [own, setOwn] = useState<readonly OwnToken[]>();
  const [failure, setFailure] = useState<ApiError>();
  const look = useCallback(() => {
    request<{ data: readonly OwnToken[] }>('/v3/tokens').then(
      ({ data }) => {
        setOwn(data);
        setFailure(undefined);
      },
      (error: unknown) => setFailure(error instanceof ApiError ? error : new ApiError(0, String(error))),
    );
  }, []);
  useEffect(look, [look]);
  const rows = useMemo(() => tokenRows(own ?? [], mayList ? all.items : undefined, getPerson()?.id), [own, mayList, all.items]);
  if (mayList) return { rows, state: all.state, error: all.error, isAll: true, look };
  const state = failure ? (own ? 'stale' : 'failed') : own && mayList !== undefined ? 'live' : 'loading';
  return { rows, state, error: failure, isAll: false, look };
}
