import { useState } from 'react';
import { hub } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import type { MachineRow } from './machines.tsx';

interface Deed {
  readonly action: string;
  readonly title: string;
  readonly about: string;
  readonly icon?: IconName;
  readonly isDanger?: boolean;
  /** What has to be said besides. */
  readonly field?: { readonly name: string; readonly label: string; readonly isNeeded: boolean };
}

/** In the order of Harvester's menu. */
const deeds: readonly Deed[] = [
  { action: 'stop', title: 'Stop', about: 'It is shut down and stays off.', isDanger: true },
  { action: 'forceStop', title: 'Force stop', about: 'Its power is cut. What was not written is lost.', isDanger: true },
  { action: 'pause', title: 'Pause', about: 'It stands still, and keeps its memory.' },
  { action: 'unpause', title: 'Unpause', about: 'It goes on where it stood still.' },
  { action: 'restart', title: 'Restart', about: 'It is shut down and started again.', isDanger: true },
  { action: 'softreboot', title: 'Soft reboot', about: 'Its operating system is asked to reboot.' },
  { action: 'start', title: 'Start', about: 'It is started.' },
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

export interface AskedDeed {
  readonly row: MachineRow;
  readonly deed: Deed;
}

function pathOfMachine({ cluster, vm }: MachineRow): string {
  const place = [vm.metadata.namespace ?? '', vm.metadata.name ?? ''].map(encodeURIComponent).join('/');
  return `/k8s/clusters/${encodeURIComponent(cluster || hub)}/v1/harvester/kubevirt.io.virtualmachines/${place}`;
}

/** What is on offer for a machine as it is now, for whoever asks. */
export function MachineMenu({ row, onAsk }: { row: MachineRow; onAsk(asked: AskedDeed): void }) {
  async function offered(): Promise<readonly MenuItem[]> {
    const { actions = {} } = await request<{ actions?: Readonly<Record<string, string>> }>(pathOfMachine(row));
    return deeds
      .filter(one => Object.hasOwn(actions, one.action))
      .map(deed => ({
        id: deed.action,
        title: deed.title,
        isDanger: deed.isDanger ?? false,
        onChoose: () => onAsk({ row, deed }),
      }));
  }
  return <Menu label={`Actions for ${row.vm.metadata.name}`} icon="more" isIconOnly items={offered} />;
}

export function MachineDeed({ asked: { row, deed }, onClose }: { asked: AskedDeed; onClose(): void }) {
  const [text, setText] = useState('');
  const { namespace, name } = row.vm.metadata;
  const { action, title, about, field, isDanger = false } = deed;
  const body = field && text !== '' ? { [field.name]: text } : {};
  const path = `${pathOfMachine(row)}?action=${action}`;
  return (
    <ActionDialog
      title={`${title}: ${name}`}
      verb={title}
      isDanger={isDanger}
      isReady={!field?.isNeeded || text !== ''}
      command={commandFor(row, action) ?? `curl -X POST -H "Authorization: Bearer $TOKEN" "$HUB${path}" -d '${JSON.stringify(body)}'`}
      onDo={() => request(path, { method: 'POST', body })}
      onClose={onClose}
    >
      <p>
        {about} It is {row.state.word.toLowerCase()} in namespace {namespace} of cluster {row.cluster}.
      </p>
      {field && (
        <label className="field">
          <span className="label">{field.label}</span>
          <input className="input" value={text} spellCheck={false} autoComplete="off" onChange={event => setText(event.target.value)} />
        </label>
      )}
    </ActionDialog>
  );
}

/** What `kubectl` does for it, where the API of KubeVirt is enough. */
function commandFor({ cluster, vm: { metadata } }: MachineRow, action: string): string | undefined {
  const strategy = { start: 'RerunOnFailure', stop: 'Halted' }[action];
  if (strategy === undefined) return undefined;
  const patch = JSON.stringify({ spec: { runStrategy: strategy } });
  return `drover kubectl ${cluster} -- patch vm ${metadata.name} -n ${metadata.namespace} --type=merge -p '${patch}'`;
}
