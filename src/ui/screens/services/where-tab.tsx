import { useMemo, useState } from 'react';
import type { Work } from '../../../api/work.ts';
import { PlaceLink } from '../../app/place.tsx';
import { LeftOut, useOfScope } from '../../app/scope.tsx';
import { kinds } from '../../data/kinds.ts';
import { useList, useLists } from '../../data/use-list.ts';
import type { ListState } from '../../data/watched-list.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { claimsOn, ifTheWinnerLeft } from './claims.ts';
import { droverName, type Cluster, type MultiClusterService } from './service-kinds.ts';
import type { WhereRow } from './where.ts';

/** On so many clusters it is looked up at once who outranks the service; of others whoever asks is told. */
const lookedUp = 40;

/** On which clusters a service is and how, and of the others why not. */
export function WhereTab({ mcs, rows: all, state }: { mcs: MultiClusterService; rows: readonly WhereRow[]; state: ListState }) {
  const [asked, setAsked] = useState<WhereRow>();
  const rows = useOfScope(all, nameOf);
  const holders = useHolders(rows);
  const columns = useMemo(() => columnsWith(holders), [holders]);
  return (
    <>
      <Table
        name="Clusters of the service"
        rows={rows}
        columns={columns}
        keyOf={one => one.id}
        state={state}
        sort="cluster"
        onOpen={row => setAsked(row)}
        tools={<LeftOut count={all.length - rows.length} />}
        rowEnd={row => (
          <button
            type="button"
            className="button bare icon-only"
            onClick={() => setAsked(row)}
            title="Why?"
            aria-label={`Why, on ${nameOf(row)}`}
          >
            <Icon name="help" />
          </button>
        )}
        empty={
          <Empty title="There are no clusters" command="drover get clusterdeployments -A">
            A service goes to the clusters of ClusterDeployments whose labels its selector matches.
          </Empty>
        }
      />
      {asked && <WhyDialog mcs={mcs} row={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

const nameOf = ({ target, member }: WhereRow): string => member?.metadata.name ?? target;

const idOf = (member: Cluster): string => member.status?.id ?? member.metadata.name ?? '';

/** Who has the releases that the service does not get, by row. */
function useHolders(rows: readonly WhereRow[]): ReadonlyMap<string, string> {
  const outranked = rows.filter(one => one.isOutranked && one.member).slice(0, lookedUp);
  const ids = [...new Set(outranked.map(one => idOf(one.member!)))];
  const lists = useLists<Work>(ids.map(id => ({ kind: kinds.work, namespace: id })));
  return useMemo(() => {
    const works = new Map(lists.map(({ wanted, items }) => [wanted.namespace, items]));
    return new Map(
      outranked.flatMap(row => {
        const winner = claimsOn(works.get(idOf(row.member!)) ?? [], row.release).find(one => one.standing === 'has it');
        return winner ? [[row.id, `${winner.owner} has it with priority ${winner.priority}`] as const] : [];
      }),
    );
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what is outranked follows from the rows
  }, [lists, rows]);
}

const columnsWith = (holders: ReadonlyMap<string, string>): readonly Column<WhereRow>[] => [
  {
    id: 'cluster',
    title: 'Cluster',
    width: 'minmax(8rem, 1fr)',
    value: nameOf,
    cell: ({ target, member }) =>
      member ? (
        <PlaceLink to={`/clusters/${encodeURIComponent(member.metadata.name!)}`}>
          <bdi>{member.metadata.name}</bdi>
        </PlaceLink>
      ) : (
        <bdi>{target}</bdi>
      ),
  },
  { id: 'state', title: 'State', width: '9rem', value: ({ state }) => state.word, cell: ({ state }) => <StateBadge {...state} /> },
  { id: 'release', title: 'Release', width: 'minmax(7rem, 0.8fr)', value: ({ release }) => release },
  { id: 'template', title: 'Template', width: 'minmax(7rem, 0.8fr)', value: ({ template }) => template },
  { id: 'version', title: 'Version', width: '6.5rem', value: ({ version }) => version },
  {
    id: 'why',
    title: 'Why',
    width: 'minmax(16rem, 4fr)',
    value: row => holders.get(row.id) ?? row.why,
    cell: row => {
      const text = holders.get(row.id) ?? row.why;
      return <span title={text}>{text}</span>;
    },
  },
  { id: 'deployment', title: 'ClusterDeployment', width: 'minmax(10rem, 1fr)', isExtra: true, value: ({ target }) => target },
];

/** What `drover explain` tells of one cluster. */
function WhyDialog({ mcs, row, onClose }: { mcs: MultiClusterService; row: WhereRow; onClose(): void }) {
  const { member, release, state, why } = row;
  const works = useList<Work>(member && release !== '' ? { kind: kinds.work, namespace: idOf(member) } : undefined);
  const claims = claimsOn(works.items, release);
  const name = nameOf(row);
  return (
    <Dialog title={release === '' ? `Why not on ${name}?` : `${release} on ${name}`} isWide onClose={onClose}>
      <div className="row">
        <StateBadge {...state} />
        <span>{why || `Template ${row.template} is there${row.version && `, version ${row.version}`}.`}</span>
      </div>
      {works.error && <ErrorNote error={works.error} about="Who wants the release" />}
      {release !== '' && works.state === 'loading' && member && <Loading />}
      {claims.length > 0 && (
        <>
          <SmallTable
            name="Who wants the release"
            heads={['Who wants it', 'Priority', 'Standing', 'Since']}
            rows={claims.map(({ owner, priority, standing, since, work }) => [
              <span key="owner" title={work}>
                {owner}
              </span>,
              priority,
              <StateBadge key="standing" tone={standing === 'has it' ? 'good' : 'idle'} word={standing} />,
              <Time key="since" at={since} isAgo />,
            ])}
          />
          <p>{ifTheWinnerLeft(claims)}</p>
        </>
      )}
      <div className="stack tight">
        <span className="muted">The same in a terminal</span>
        <CommandLine command={`drover explain ${droverName(mcs)}${member ? ` --cluster ${name}` : ''}`} />
      </div>
      <div className="dialog-end">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
