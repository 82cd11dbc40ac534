import type { Cluster } from '../../../api/cluster.ts';
import { PlaceLink } from '../../app/place.tsx';
import { judgeObject, ObjectState } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Tags } from '../../parts/tags.tsx';
import { Time } from '../../parts/time.tsx';
import { idOf } from './cluster-kind.ts';

/** What is known of clusters, in the order in which people read it. */
export const clusterColumns: readonly Column<Cluster>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1.4fr)',
    value: ({ metadata }) => metadata.name,
    cell: ({ metadata }) => <PlaceLink to={`/clusters/${encodeURIComponent(metadata.name!)}`}>{metadata.name}</PlaceLink>,
  },
  { id: 'state', title: 'State', width: '12.75rem', value: one => judgeObject(one).word, cell: one => <ObjectState object={one} /> },
  { id: 'version', title: 'Version', width: '9rem', value: ({ status }) => status?.version },
  { id: 'provider', title: 'Provider', width: '6.25rem', value: ({ status }) => status?.provider },
  {
    id: 'nodes',
    title: 'Nodes',
    width: '5rem',
    isNumber: true,
    value: ({ status }) => status?.nodes?.total,
    cell: ({ status }) => status?.nodes && `${status.nodes.ready}/${status.nodes.total}`,
  },
  { id: 'cpu', title: 'CPU', width: '4.5rem', isNumber: true, value: ({ status }) => String(status?.allocatable?.['cpu'] ?? '') },
  { id: 'memory', title: 'Memory', width: '6.25rem', isNumber: true, value: ({ status }) => String(status?.allocatable?.['memory'] ?? '') },
  { id: 'mode', title: 'Reached by', width: '7rem', isExtra: true, value: ({ spec }) => spec.connection.mode },
  {
    id: 'labels',
    title: 'Labels',
    width: 'minmax(10rem, 2fr)',
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
    width: '6.25rem',
    value: ({ status }) => Date.parse(status?.lastSeen ?? '') || undefined,
    cell: ({ status }) => <Time at={status?.lastSeen} />,
  },
  {
    id: 'age',
    title: 'Age',
    width: '5rem',
    value: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
    cell: ({ metadata }) => <Time at={metadata.creationTimestamp} />,
  },
];
