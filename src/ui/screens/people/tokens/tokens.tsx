import { useMemo, useState } from 'react';
import { PlaceLink } from '../../../app/place.tsx';
import { pathOf } from '../../../data/kinds.ts';
import { useMay } from '../../../data/permissions.ts';
import { request } from '../../../data/request.ts';
import { ActionDialog } from '../../../parts/action-dialog.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Empty, ErrorNote } from '../../../parts/notes.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import type { Column } from '../../../parts/table/columns.ts';
import { Table } from '../../../parts/table/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { peopleKinds, userPlace, userTitle, type User } from '../people-kinds.ts';
import { usePeople, usePlaceNames } from '../use-people.ts';
import { MakeToken } from './make-token.tsx';
import { tokenState, type TokenRow } from './token-row.ts';
import { useTokens } from './use-tokens.ts';

/** What people and their programs sign in with: their own for everybody, those of others for those who may see them. */
export function Tokens() {
  const { rows, state, error, isAll, look } = useTokens();
  const { byId } = usePeople();
  const { clusterName } = usePlaceNames();
  const columns = useMemo(() => columnsWith(isAll, byId, clusterName), [isAll, byId, clusterName]);
  return (
    <>
      {error && <ErrorNote error={error} about="Tokens" />}
      <div className="row">
        <p className="muted grow">
          {isAll
            ? 'Those of everybody. Whoever has a token can do what its owner can.'
            : 'Your own. Whoever has one of them can do what you can.'}
        </p>
        <MakeToken onMade={look} />
      </div>
      <Table
        name="Tokens"
        rows={rows}
        columns={columns}
        keyOf={({ id }) => id}
        state={state}
        sort="made"
        rowEnd={row => <RevokeToken key={row.id} row={row} who={userTitle(byId.get(row.userId), row.userId)} onDone={look} />}
        empty={
          <Empty title="No tokens to see" command="drover token list">
            Sessions, API keys and what stands in kubeconfigs are listed here until they end.
          </Empty>
        }
      />
    </>
  );
}

const timeColumn = (id: string, title: string, at: (row: TokenRow) => string | undefined, isNewestFirst: boolean): Column<TokenRow> => ({
  id,
  title,
  width: '7rem',
  value: row => (isNewestFirst ? -1 : 1) * (Date.parse(at(row) ?? '') || (isNewestFirst ? 0 : Infinity)),
  cell: row => (at(row) === undefined ? <span className="muted">Never</span> : <Time at={at(row)} isAgo />),
});

const columnsWith = (
  isAll: boolean,
  users: ReadonlyMap<string, User>,
  clusterName: (id: string) => string,
): readonly Column<TokenRow>[] => [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(15rem, 1.6fr)',
    value: ({ id }) => id,
    cell: ({ id, isCurrent }) => (
      <span className="row">
        <code>{id}</code>
        {isCurrent && <span className="tag">This session</span>}
      </span>
    ),
  },
  { id: 'description', title: 'What for', width: 'minmax(9rem, 1.2fr)', value: ({ description }) => description },
  ...(isAll
    ? [
        {
          id: 'who',
          title: 'Who',
          width: 'minmax(7rem, 1fr)',
          value: ({ userId }: TokenRow) => userTitle(users.get(userId), userId),
          cell: ({ userId }: TokenRow) => (
            <PlaceLink to={userPlace(userId)}>
              <bdi>{userTitle(users.get(userId), userId)}</bdi>
            </PlaceLink>
          ),
        },
      ]
    : []),
  { id: 'kind', title: 'Kind', width: '7rem', value: ({ kind }) => kind },
  {
    id: 'scope',
    title: 'Good for',
    width: 'minmax(7rem, 0.8fr)',
    value: ({ clusterId }) => (clusterId === undefined ? 'Everything' : clusterName(clusterId)),
  },
  {
    id: 'state',
    title: 'State',
    width: '7rem',
    value: row => tokenState(row, Date.now()).word,
    cell: row => <StateBadge {...tokenState(row, Date.now())} />,
  },
  timeColumn('made', 'Made', ({ madeAt }) => madeAt, true),
  timeColumn('used', 'Last used', ({ usedAt, isCurrent }) => (isCurrent ? new Date().toISOString() : usedAt), true),
  timeColumn('expires', 'Expires', ({ expiresAt }) => expiresAt, false),
];

/** Takes a token back. The one of the present session ends by signing out. */
function RevokeToken({ row, who, onDone }: { row: TokenRow; who: string; onDone(): void }) {
  const [isOpen, setOpen] = useState(false);
  const { id, isOwn, isCurrent } = row;
  const mayDelete = useMay(isOwn ? undefined : { verb: 'delete', kind: peopleKinds.token, name: id });
  if (isCurrent || !(isOwn || mayDelete)) return null;
  const path = isOwn ? `/v3/tokens/${encodeURIComponent(id)}` : pathOf(peopleKinds.token, { name: id });
  return (
    <>
      <button type="button" className="button bare icon-only" aria-label={`Revoke ${id}`} title="Revoke" onClick={() => setOpen(true)}>
        <Icon name="remove" />
      </button>
      {isOpen && (
        <ActionDialog
          title={`Revoke ${id}`}
          verb="Revoke"
          isDanger
          command={isOwn ? `drover token revoke ${id}` : `kubectl delete tokens.management.cattle.io ${id}`}
          onDo={() => request(path, { method: 'DELETE' }).then(onDone)}
          onClose={() => setOpen(false)}
        >
          <p>
            {isOwn ? 'Your' : <bdi>{who}’s</bdi>} {row.kind === 'API key' ? row.kind : row.kind.toLowerCase()}
            {row.description && (
              <>
                {' '}
                “<bdi>{row.description}</bdi>”
              </>
            )}{' '}
            works no more at once, and what is open with it ends within five seconds.
          </p>
        </ActionDialog>
      )}
    </>
  );
}
