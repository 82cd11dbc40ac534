import { lazy, useCallback, useMemo, useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { useScope } from '../../app/scope.tsx';
import { usePlaces } from '../../data/list-places.ts';
import { machineKinds } from '../../data/machine-kinds.ts';
import { useLists } from '../../data/use-list.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { AddButton } from './add-button.tsx';
import { BulkDeed } from './bulk-deed.tsx';
import { deeds, type Deed } from './machine-deeds.ts';
import { MachineDeed, MachineMenu, type AskedDeed } from './machine-menu.tsx';
import { machinePlace } from './machine-place.ts';
import { coresOf, machineState, memoryOf, type Instance, type Machine, type MachineState } from './machine-state.ts';
import { useChangeable } from './use-changeable.ts';
import { useProjects } from './use-projects.ts';

const CreateMachine = lazy(async () => ({ default: (await import('./create-machine.tsx')).CreateMachine }));
/** What can be asked of several at once, in the order in which people look for it. */
const bulkDeeds = ['start', 'stop', 'restart', 'forceStop'].map(action => deeds.find(one => one.action === action)!);

export interface MachineRow {
  readonly cluster: string;
  readonly vm: Machine;
  readonly vmi: Instance | undefined;
  readonly state: MachineState;
  readonly project: string;
  readonly isStale: boolean;
}

/** The virtual machines of some clusters, with what can be done about them. */
export function Machines({ clusters }: { clusters: readonly Cluster[] }) {
  const { namespace } = useScope();
  const names = useMemo(() => clusters.map(one => one.metadata.name!), [clusters]);
  const places = usePlaces(machineKinds.machine, names, namespace);
  const machines = useLists<Machine>((places ?? []).map(place => ({ ...place, kind: machineKinds.machine })));
  const instances = useLists<Instance>((places ?? []).map(place => ({ ...place, kind: machineKinds.instance })));
  const projectOf = useProjects(clusters);
  const [asked, setAsked] = useState<AskedDeed>();
  const rows = useMemo(() => {
    const byName = new Map(
      instances.flatMap(({ wanted, items }) =>
        items.map(one => [`${wanted.cluster} ${one.metadata.namespace}/${one.metadata.name}`, one] as const),
      ),
    );
    return machines.flatMap(({ wanted, items, state }) =>
      items.map((vm): MachineRow => {
        const cluster = wanted.cluster ?? '';
        const vmi = byName.get(`${cluster} ${vm.metadata.namespace}/${vm.metadata.name}`);
        const project = projectOf(cluster, vm.metadata.namespace);
        return { cluster, vm, vmi, state: machineState(vm, vmi), project, isStale: state === 'stale' };
      }),
    );
  }, [machines, instances, projectOf]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<Deed>();
  const isChangeable = useChangeable(rows);
  const chosenRows = rows.filter(row => chosen.has(keyOf(row)));
  const projectHere = useCallback((ns: string) => projectOf(names[0] ?? '', ns), [projectOf, names]);
  const failed = machines.filter(one => one.error);
  const isLoading = !places || machines.some(one => one.state === 'loading');
  const isFailed = failed.length > 0 && failed.length === machines.length;
  const columns = useMemo(() => (names.length === 1 ? allColumns.filter(one => one.id !== 'cluster') : allColumns), [names.length]);
  return (
    <>
      {failed.slice(0, 3).map(({ wanted, error }) => (
        <ErrorNote key={`${wanted.cluster} ${wanted.namespace}`} error={error} about={`Virtual machines of ${wanted.cluster}`} />
      ))}
      <Table
        name="Virtual machines"
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        state={isLoading ? 'loading' : isFailed ? 'failed' : 'live'}
        sort="name"
        isStale={one => one.isStale}
        onOpen={row => go(placeOf(row))}
        choice={
          rows.some(isChangeable)
            ? { chosen, isOpen: isChangeable, nameOf: ({ vm }) => vm.metadata.name ?? '', onChange: setChosen }
            : undefined
        }
        tools={
          chosenRows.length > 0 ? (
            <div className="row" role="group" aria-label="For those that are chosen">
              <span role="status">{chosenRows.length} chosen</span>
              {bulkDeeds.map(deed => (
                <button key={deed.action} type="button" className="button" onClick={() => setBulk(deed)}>
                  {deed.title}
                </button>
              ))}
              <button type="button" className="button bare" onClick={() => setChosen(new Set())}>
                Choose none
              </button>
            </div>
          ) : (
            names.length === 1 && (
              <AddButton cluster={names[0]!} kind={machineKinds.machine} title="Create" projectOf={projectHere} Form={CreateMachine} />
            )
          )
        }
        rowEnd={row => <MachineMenu key={keyOf(row)} row={row} onAsk={setAsked} />}
        empty={
          <Empty
            title="No virtual machines"
            command={`drover get virtualmachines -A${names.length === 1 ? ` -C ${names[0]}` : ' --all-clusters'}`}
          >
            Virtual machines of Harvester clusters are listed here, and started and stopped from here.
          </Empty>
        }
      />
      {bulk && <BulkDeed rows={chosenRows} deed={bulk} onClose={() => (setBulk(undefined), setChosen(new Set()))} />}
      {asked && <MachineDeed asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

const keyOf = ({ cluster, vm }: MachineRow): string => `${cluster} ${vm.metadata.uid}`;
const placeOf = ({ cluster, vm }: MachineRow): string => machinePlace(cluster, vm.metadata);

const allColumns: readonly Column<MachineRow>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1.4fr)',
    value: ({ vm }) => vm.metadata.name,
    cell: row => (
      <PlaceLink to={placeOf(row)}>
        <bdi>{row.vm.metadata.name}</bdi>
      </PlaceLink>
    ),
  },
  { id: 'state', title: 'State', width: '9rem', value: ({ state }) => state.word, cell: ({ state }) => <StateBadge {...state} /> },
  { id: 'cluster', title: 'Cluster', value: ({ cluster }) => cluster },
  { id: 'ns', title: 'Namespace', value: ({ vm }) => vm.metadata.namespace },
  { id: 'project', title: 'Project', value: ({ project }) => project },
  { id: 'cpu', title: 'CPU', width: '4.5rem', isNumber: true, value: ({ vm }) => coresOf(vm) },
  { id: 'memory', title: 'Memory', width: '6rem', isNumber: true, value: ({ vm }) => memoryOf(vm) },
  { id: 'ip', title: 'IP address', width: '9rem', value: ({ vmi }) => vmi?.status?.interfaces?.[0]?.ipAddress },
  { id: 'node', title: 'Node', value: ({ vmi }) => vmi?.status?.nodeName },
  {
    id: 'age',
    title: 'Age',
    width: '5.5rem',
    value: ({ vm }) => -Date.parse(vm.metadata.creationTimestamp ?? ''),
    cell: ({ vm }) => <Time at={vm.metadata.creationTimestamp} />,
  },
];
