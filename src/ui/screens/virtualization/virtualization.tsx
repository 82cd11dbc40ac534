import { useMemo } from 'react';
import { useParams } from 'wouter';
import type { Cluster } from '../../../api/cluster.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { LeftOut, useOfScope } from '../../app/scope.tsx';
import { Empty, ErrorNote, Loading, NoSuchPart } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { judgeObject, ObjectState } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useHarvesterClusters } from './harvester-clusters.ts';
import { Images, KeyPairs, Networks, Volumes } from './machine-parts.tsx';
import { Machines } from './machines.tsx';

/** So many clusters are asked at a time; more are looked at one by one. */
const mostClusters = 20;

const nameOf = ({ metadata }: Cluster) => metadata.name;

/** Harvester clusters, and the virtual machines of all of them. */
export function Virtualization({ part = '' }: { part?: '' | 'machines' }) {
  const { clusters: all, state, error } = useHarvesterClusters();
  const clusters = useOfScope(all, nameOf);
  const first = useMemo(() => clusters.slice(0, mostClusters), [clusters]);
  return (
    <Page title="Virtualization" isFilled>
      {error && <ErrorNote error={error} about="Harvester clusters" />}
      <Tabs
        current={part}
        base="/virtualization"
        tabs={[
          { id: '', title: 'Harvester clusters' },
          { id: 'machines', title: 'Virtual machines' },
        ]}
      />
      {part === 'machines' ? (
        <>
          {clusters.length > mostClusters && <p className="muted">Of the first {mostClusters} clusters.</p>}
          <Machines clusters={first} />
        </>
      ) : (
        <Table
          name="Harvester clusters"
          rows={clusters}
          columns={clusterColumns}
          keyOf={one => one.metadata.uid!}
          state={state}
          sort="name"
          onOpen={one => go(placeOf(one))}
          tools={<LeftOut count={all.length - clusters.length} />}
          empty={
            <Empty title="No Harvester clusters yet" command="drover sandbox create barn --label provider.cattle.io=harvester --wait">
              Clusters with the label provider.cattle.io=harvester are listed here with their virtual machines. The command makes one to
              play with.
            </Empty>
          }
        />
      )}
    </Page>
  );
}

export function AllMachines() {
  return <Virtualization part="machines" />;
}

const placeOf = ({ metadata }: Cluster): string => `/virtualization/${encodeURIComponent(metadata.name!)}`;

const clusterColumns: readonly Column<Cluster>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(12rem, 2fr)',
    value: ({ metadata }) => metadata.name,
    cell: one => (
      <PlaceLink to={placeOf(one)}>
        <bdi>{one.metadata.name}</bdi>
      </PlaceLink>
    ),
  },
  { id: 'state', title: 'State', width: '12rem', value: one => judgeObject(one).word, cell: one => <ObjectState object={one} /> },
  { id: 'version', title: 'Version', width: 'minmax(8rem, 1fr)', value: ({ status }) => status?.version },
  { id: 'machines', title: 'Machines', width: '7rem', isNumber: true, value: ({ status }) => status?.nodes?.total },
  {
    id: 'age',
    title: 'Age',
    width: '6rem',
    value: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
    cell: ({ metadata }) => <Time at={metadata.creationTimestamp} />,
  },
  {
    id: 'manage',
    title: 'Manage',
    width: '7.5rem',
    value: () => '',
    cell: one => (
      <PlaceLink className="button" to={placeOf(one)} aria-label={`Manage ${one.metadata.name}`}>
        Manage
      </PlaceLink>
    ),
  },
];

const parts = [
  { id: '', title: 'Virtual machines' },
  { id: 'images', title: 'Images' },
  { id: 'volumes', title: 'Volumes' },
  { id: 'networks', title: 'Networks' },
  { id: 'keys', title: 'SSH keys' },
];

/** One Harvester cluster. */
export function VirtualCluster() {
  const { cluster = '', '*': part = '' } = useParams<{ cluster: string; '*': string }>();
  const { clusters, state } = useHarvesterClusters();
  const found = clusters.find(one => one.metadata.name === cluster);
  const alone = useMemo(() => (found ? [found] : []), [found]);
  const above = [{ title: 'Virtualization', to: '/virtualization' }];
  if (!found)
    return (
      <Page title={cluster} above={above}>
        {state === 'loading' ? (
          <Loading />
        ) : (
          <Empty title="It is not there" command="drover get clusters -l provider.cattle.io=harvester">
            There is no Harvester cluster of this name, or none that you may see.
          </Empty>
        )}
      </Page>
    );
  return (
    <Page title={cluster} above={above} isFilled beside={<ObjectState object={found} />}>
      <Tabs tabs={parts} current={part} base={`/virtualization/${encodeURIComponent(cluster)}`} />
      {part === '' && <Machines clusters={alone} />}
      {part === 'images' && <Images cluster={found} />}
      {part === 'volumes' && <Volumes cluster={found} />}
      {part === 'networks' && <Networks cluster={found} />}
      {part === 'keys' && <KeyPairs cluster={found} />}
      {!parts.some(one => one.id === part) && <NoSuchPart />}
    </Page>
  );
}
