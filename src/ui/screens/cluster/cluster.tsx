import { useMemo } from 'react';
import { useParams } from 'wouter';
import type { Cluster } from '../../../api/cluster.ts';
import { go, useUrlValue } from '../../app/place.tsx';
import { useScope } from '../../app/scope.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { kinds, type Kind } from '../../data/kinds.ts';
import { usePlaces } from '../../data/list-places.ts';
import { useMay } from '../../data/permissions.ts';
import { useLists, useObject } from '../../data/use-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { KeptParts } from '../../parts/kept-parts.tsx';
import { later } from '../../parts/later.tsx';
import { Empty, ErrorNote, Loading, NoSuchPart } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { ObjectState } from '../../parts/state-badge.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { idOf } from '../clusters/cluster-kind.ts';
import { ClusterDeeds } from '../clusters/cluster-deeds.tsx';
import { CordonBadge } from '../clusters/cordon-dialog.tsx';
import type { PrintedRow } from '../explore/printed-rows.ts';
import { PrintedTable } from '../explore/printed-table.tsx';
import { NodeDeeds } from '../nodes/node-deeds.tsx';
import { eventColumns, type EventObject } from '../object/event-columns.tsx';
import { peopleKinds } from '../people/people-kinds.ts';
import { AgentLog } from './agent-log.tsx';
import { ClusterOverview } from './cluster-overview.tsx';
import { ClusterWorks } from './cluster-works.tsx';
import { useMayOpenShell } from './shell/may-open-shell.ts';

const AccessTab = later(async () => (await import('./access-tab.tsx')).AccessTab);
const AddOnsTab = later(async () => (await import('./add-ons-tab.tsx')).AddOnsTab);
const ClusterShell = later(async () => (await import('./shell/cluster-shell.tsx')).ClusterShell);

/** A shell goes on while somebody looks at something else. */
const alive = new Set(['shell']);

const tabs = [
  { id: '', title: 'Overview' },
  { id: 'nodes', title: 'Nodes' },
  { id: 'workloads', title: 'Workloads' },
  { id: 'works', title: 'Works' },
  { id: 'add-ons', title: 'Add-ons' },
  { id: 'events', title: 'Events' },
  { id: 'access', title: 'Access' },
  { id: 'agent', title: 'Agent' },
  { id: 'shell', title: 'Shell' },
] as const;

/** One member: what it is, what runs there, what the hub put there, who may go there. */
export function ClusterScreen() {
  const params = useParams<{ name: string; '*'?: string }>();
  const name = decodeURIComponent(params.name);
  const tab = params['*'] ?? '';
  const { object, listed } = useObject<Cluster>(kinds.cluster, { name });
  const namespace = object && idOf(object);
  const seesWorks = useMay(namespace === undefined ? undefined : { verb: 'list', kind: kinds.work, namespace });
  const seesBindings = useMay(namespace === undefined ? undefined : { verb: 'list', kind: peopleKinds.clusterBinding, namespace });
  const mayOpenShell = useMayOpenShell(object);
  // Most may see all of it: what is not known yet keeps its place.
  const hasAgent = object?.spec.connection.mode === 'Tunnel' && object.status?.agentVersion !== undefined;
  const open: Partial<Record<string, boolean | undefined>> = {
    works: seesWorks,
    access: seesBindings,
    agent: hasAgent,
    shell: mayOpenShell,
  };
  const base = `/clusters/${encodeURIComponent(name)}`;
  useShortcut(mayOpenShell ? 'shell' : undefined, () => go(`${base}/shell`));
  useShortcut(hasAgent ? 'logs' : undefined, () => go(`${base}/agent`));
  const shown = tabs.filter(({ id }) => open[id] !== false);
  if (!object)
    return (
      <Page title={name} above={[{ title: 'Clusters', to: '/clusters' }]}>
        {listed.error && <ErrorNote error={listed.error} about={name} />}
        {!listed.error && listed.state === 'loading' && <Loading />}
        {!listed.error && listed.state !== 'loading' && (
          <Empty title={`There is no cluster ${name}`} command="drover get clusters">
            It may have been removed meanwhile, or you may not see it.
          </Empty>
        )}
      </Page>
    );
  return (
    <Page
      title={name}
      above={[{ title: 'Clusters', to: '/clusters' }]}
      isFilled={!['', 'access', 'shell'].includes(tab)}
      beside={
        <>
          <ObjectState object={object} />
          <CordonBadge cluster={object} />
        </>
      }
      actions={<ClusterDeeds cluster={object} />}
    >
      <NotReady cluster={object} />
      <Tabs tabs={shown} current={tab} base={base} />
      <KeptParts current={tab} alive={alive}>
        {id => <Part cluster={object} tab={id} />}
      </KeptParts>
    </Page>
  );
}

const nodeEnd = ({ cluster, object }: PrintedRow) => (
  <NodeDeeds
    key={object.metadata.uid}
    cluster={cluster}
    name={object.metadata.name!}
    isCordoned={object.cells.some(cell => typeof cell === 'string' && cell.includes('SchedulingDisabled'))}
    isInRow
  />
);

function Part({ cluster, tab }: { cluster: Cluster; tab: string }) {
  const name = cluster.metadata.name!;
  const scope = { clusters: [name], namespace: '' };
  switch (tab) {
    case '':
      return <ClusterOverview cluster={cluster} />;
    case 'nodes':
      return <PrintedTable kind={kinds.node} scope={scope} rowEnd={nodeEnd} />;
    case 'workloads':
      return <Workloads name={name} />;
    case 'works':
      return <ClusterWorks id={idOf(cluster)} name={name} />;
    case 'add-ons':
      return <AddOnsTab cluster={cluster} />;
    case 'events':
      return <ClusterEvents name={name} />;
    case 'agent':
      return <AgentLog name={name} />;
    case 'shell':
      return <ClusterShell key={name} cluster={cluster} />;
    case 'access':
      return <AccessTab cluster={cluster} />;
    default:
      return <NoSuchPart />;
  }
}

function NotReady({ cluster: { status } }: { cluster: Cluster }) {
  const ready = status?.conditions?.find(one => one.type === 'Ready');
  if (!ready || ready.status === 'True') return null;
  return (
    <div className="note warn" role="status">
      <Icon name="warn" />
      <p>
        {ready.message}.{' '}
        {status?.lastSeen && (
          <>
            What you see of it is as of <Time at={status.lastSeen} isAgo />.
          </>
        )}
      </p>
    </div>
  );
}

const workloads: Readonly<Record<string, Kind>> = {
  deployments: kinds.deployment,
  statefulsets: kinds.statefulSet,
  daemonsets: kinds.daemonSet,
  jobs: { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', isNamespaced: true },
  pods: kinds.pod,
};

function Workloads({ name }: { name: string }) {
  const [chosen, choose] = useUrlValue('of');
  const { namespace } = useScope();
  const kind = workloads[chosen] ?? kinds.deployment;
  return (
    <PrintedTable
      key={kind.plural}
      kind={kind}
      scope={{ clusters: [name], namespace }}
      tools={
        <select className="input choice" aria-label="Kind of workload" value={kind.plural} onChange={event => choose(event.target.value)}>
          {Object.values(workloads).map(one => (
            <option key={one.plural} value={one.plural}>
              {one.kind}s
            </option>
          ))}
        </select>
      }
    />
  );
}

function ClusterEvents({ name }: { name: string }) {
  const { namespace } = useScope();
  const clusters = useMemo(() => [name], [name]);
  const places = usePlaces(kinds.event, clusters, namespace);
  const lists = useLists<EventObject>((places ?? []).map(place => ({ ...place, kind: kinds.event })));
  const items = useMemo(() => lists.flatMap(one => one.items), [lists]);
  const error = lists.find(one => one.error)?.error;
  const state = places ? (lists.find(one => one.state !== 'live')?.state ?? 'live') : 'loading';
  return (
    <>
      {error && <ErrorNote error={error} about="Events" />}
      <Table
        name="Events"
        rows={items}
        columns={eventColumns}
        keyOf={one => one.metadata.uid!}
        state={state}
        sort="last"
        isStale={() => state === 'stale'}
        empty={<Empty title="No events">Nothing has been said on this cluster for an hour or so: events are not kept for longer.</Empty>}
      />
    </>
  );
}
