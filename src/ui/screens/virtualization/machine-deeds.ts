import { hub } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';
import type { MachineRow } from './machines.tsx';

export interface Deed {
  readonly action: string;
  readonly title: string;
  readonly about: string;
  readonly isDanger?: boolean;
  /** Whether it can be asked of several at once. */
  readonly isForMany?: boolean;
  /** What has to be said besides. */
  readonly field?: { readonly name: string; readonly label: string; readonly isNeeded: boolean };
}

/** In the order of Harvester's menu. */
export const deeds: readonly Deed[] = [
  { action: 'stop', title: 'Stop', about: 'It is shut down and stays off.', isDanger: true, isForMany: true },
  { action: 'forceStop', title: 'Force stop', about: 'Its power is cut. What was not written is lost.', isDanger: true, isForMany: true },
  { action: 'pause', title: 'Pause', about: 'It stands still, and keeps its memory.' },
  { action: 'unpause', title: 'Unpause', about: 'It goes on where it stood still.' },
  { action: 'restart', title: 'Restart', about: 'It is shut down and started again.', isDanger: true, isForMany: true },
  { action: 'softreboot', title: 'Soft reboot', about: 'Its operating system is asked to reboot.' },
  { action: 'start', title: 'Start', about: 'It is started.', isForMany: true },
  {
    action: 'snapshot',
    title: 'Take a snapshot',
    about: 'Its disks are kept as they are now.',
    field: { name: 'name', label: 'Name of the snapshot', isNeeded: true },
  },
  {
    action: 'migrate',
    title: 'Migrate',
    about: 'It moves to another node while it runs.',
    field: { name: 'nodeName', label: 'To which node; any when empty', isNeeded: false },
  },
  { action: 'abortMigration', title: 'Abort the migration', about: 'It stays on its node.' },
  {
    action: 'clone',
    title: 'Clone',
    about: 'A machine of the same kind is made, with copies of its disks.',
    field: { name: 'targetVm', label: 'Name of the new machine', isNeeded: true },
  },
];

type MachineRef = Pick<MachineRow, 'cluster' | 'vm'>;

export function pathOfMachine({ cluster, vm }: MachineRef): string {
  const place = [vm.metadata.namespace ?? '', vm.metadata.name ?? ''].map(encodeURIComponent).join('/');
  return `/k8s/clusters/${encodeURIComponent(cluster || hub)}/v1/harvester/kubevirt.io.virtualmachines/${place}`;
}

/** What is on offer for a machine as it is now, for whoever asks. */
export async function actionsOf(machine: MachineRef): Promise<Readonly<Record<string, string>>> {
  const { actions = {} } = await request<{ actions?: Readonly<Record<string, string>> }>(pathOfMachine(machine));
  return actions;
}

/** What does the same in a terminal: `kubectl` where the API of KubeVirt is enough. */
export function commandFor(machine: MachineRef, action: string, body: object): string {
  const { namespace, name } = machine.vm.metadata;
  const strategy = { start: 'RerunOnFailure', stop: 'Halted' }[action];
  if (strategy === undefined)
    return `curl -X POST -H "Authorization: Bearer $TOKEN" "$HUB${pathOfMachine(machine)}?action=${action}" -d '${JSON.stringify(body)}'`;
  const patch = JSON.stringify({ spec: { runStrategy: strategy } });
  return `drover kubectl ${machine.cluster} -- patch vm ${name} -n ${namespace} --type=merge -p '${patch}'`;
}
