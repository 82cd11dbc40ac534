import type { Cluster } from '../../../api/cluster.ts';
import { percentOf } from '../../../api/percent-of.ts';
import { PlaceLink } from '../../app/place.tsx';
import { judgeObject } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Tags } from '../../parts/tags.tsx';
import { Time } from '../../parts/time.tsx';
import { LastSeen } from './last-seen.tsx';
import { idOf } from './cluster-kind.ts';
import { PlacedState, placingWords } from './cordon-dialog.tsx';

type Resource = 'cpu' | 'memory';

const text = (name: Resource) => (one: Cluster) => String(one.status?.allocatable?.[name] ?? '');

/** `32`, `256Gi` and `262144Mi` by how much they are. */
const amount = (name: Resource) => (one: Cluster) => percentOf(one.status?.allocatable?.[name], '1');

/** How much of what nodes offer the pods there ask for. What they use is known only where somebody measures it. */
function share(id: string, title: string, name: Resource): Column<Cluster> {
  return {
    id,
    title,
    hint: `What pods ask for, of the ${name === 'cpu' ? 'processors' : 'memory'} that nodes offer`,
    width: '5rem',
    isNumber: true,
    value: ({ status }) => status?.requestedPercent?.[name],
    cell: ({ status }) => {
      const percent = status?.requestedPercent?.[name];
      return percent === undefined ? null : `${percent} %`;
    },
  };
}

/** What is known of clusters, in the order in which people read it. */
export const clusterColumns: readonly Column<Cluster>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(8rem, 1.4fr)',
    value: ({ metadata }) => metadata.name,
    cell: ({ metadata }) => <PlaceLink to={`/clusters/${encodeURIComponent(metadata.name!)}`}>{metadata.name}</PlaceLink>,
  },
  {
    id: 'state',
    title: 'State',
    width: '12rem',
    value: one => [judgeObject(one).word, ...placingWords(one)].join(' '),
    cell: one => <PlacedState cluster={one} />,
  },
  { id: 'version', title: 'Version', width: '9rem', value: ({ status }) => status?.version },
  { id: 'provider', title: 'Provider', width: '6.25rem', value: ({ status }) => status?.provider },
  { id: 'region', title: 'Region', width: '6.75rem', value: ({ status }) => status?.regions?.join(', ') },
  {
    id: 'nodes',
    title: 'Nodes',
    width: '4.5rem',
    isNumber: true,
    value: ({ status }) => status?.nodes?.total,
    cell: ({ status }) => status?.nodes && `${status.nodes.ready}/${status.nodes.total}`,
  },
  {
    id: 'pods',
    title: 'Pods',
    width: '4rem',
    isNumber: true,
    value: ({ status }) => (status?.requested ? Number(status.requested['pods'] ?? 0) : undefined),
  },
  share('cpu', 'CPU %', 'cpu'),
  share('memory', 'Mem %', 'memory'),
  { id: 'cpus', title: 'CPU', width: '5rem', isNumber: true, isExtra: true, value: amount('cpu'), cell: text('cpu') },
  { id: 'ram', title: 'Memory', width: '6.25rem', isNumber: true, isExtra: true, value: amount('memory'), cell: text('memory') },
  { id: 'mode', title: 'Reached by', width: '7rem', isExtra: true, value: ({ spec }) => spec.connection.mode },
  {
    id: 'labels',
    title: 'Labels',
    width: 'minmax(7rem, 2fr)',
    value: ({ metadata }) =>
      Object.entries(metadata.labels ?? {})
        .flatMap(([key, value]) => `${key}=${value}`)
        .join(' '),
    cell: ({ metadata }) => <Tags labels={metadata.labels} />,
  },
  { id: 'id', title: 'Id', width: '9rem', isExtra: true, value: idOf, cell: one => <code>{idOf(one)}</code> },
  { id: 'agent', title: 'Agent', width: '7rem', isExtra: true, value: ({ status }) => status?.agentVersion },
  {
    id: 'seen',
    title: 'Last seen',
    width: '6rem',
    value: ({ status }) => Date.parse(status?.lastSeen ?? '') || undefined,
    cell: one => <LastSeen cluster={one} />,
  },
  {
    id: 'age',
    title: 'Age',
    width: '4rem',
    value: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
    cell: ({ metadata }) => <Time at={metadata.creationTimestamp} />,
  },
];
