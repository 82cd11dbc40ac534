import { useMemo } from 'react';
import { PlaceLink } from '../../app/place.tsx';
import { Graph, type ShownNode } from '../../parts/graph/graph.tsx';
import { Empty } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { judgeObject, StateBadge } from '../../parts/state-badge.tsx';
import { judgeService } from './judge-service.ts';
import { keyOf, type MultiClusterService } from './service-kinds.ts';
import type { WhereRow } from './where.ts';

/** More than these nobody reads in a picture; the table of clusters has all of them. */
const mostRows = 60;

/** From the service by its releases to the clusters, as a picture and as a table. */
export function TopologyTab({ mcs, rows }: { mcs: MultiClusterService; rows: readonly WhereRow[] }) {
  const there = useMemo(() => rows.filter(one => one.release !== ''), [rows]);
  const shown = there.slice(0, mostRows);
  const nodes = nodesOf(mcs, shown);
  if (there.length === 0) return <Empty title="It is on no cluster">Why not is said for each of them under Clusters.</Empty>;
  return (
    <div className="stack">
      {there.length > mostRows && (
        <p className="muted">
          The first {mostRows} of {there.length} releases.
        </p>
      )}
      <Graph name="Service, releases and clusters, as a picture" nodes={nodes} />
      <SmallTable
        name="Service, releases and clusters, as a table"
        heads={['Release', 'Template', 'State', 'Cluster', 'Cluster is']}
        rows={shown.map(row => [
          row.release,
          row.template,
          <StateBadge key="state" {...row.state} />,
          <ClusterLink key="cluster" row={row} />,
          row.member ? <StateBadge key="is" {...judgeObject(row.member)} /> : 'not there yet',
        ])}
      />
    </div>
  );
}

function ClusterLink({ row: { member, target } }: { row: WhereRow }) {
  if (!member) return <bdi>{target}</bdi>;
  return (
    <PlaceLink to={clusterPlace(member.metadata.name!)}>
      <bdi>{member.metadata.name}</bdi>
    </PlaceLink>
  );
}

const clusterPlace = (name: string): string => `/clusters/${encodeURIComponent(name)}`;

function nodesOf(mcs: MultiClusterService, rows: readonly WhereRow[]): readonly ShownNode[] {
  const { tone, word } = judgeService(mcs);
  const targets = [...new Set(rows.map(one => one.target))];
  return [
    { id: 'service', title: keyOf(mcs), about: word, tone, after: [] },
    ...rows.map((row): ShownNode => ({
      id: row.id,
      title: row.release,
      about: `${row.template}: ${row.state.word}`,
      tone: row.state.tone,
      after: ['service'],
    })),
    ...targets.map((target): ShownNode => {
      const own = rows.filter(one => one.target === target);
      const member = own[0]?.member;
      const judged = member && judgeObject(member);
      return {
        id: `cluster ${target}`,
        title: member?.metadata.name ?? target,
        about: judged?.word ?? 'Not there yet',
        tone: judged?.tone ?? 'idle',
        after: own.map(one => one.id),
        ...(member && { to: clusterPlace(member.metadata.name!) }),
      };
    }),
  ];
}
