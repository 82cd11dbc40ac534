import { useState } from 'react';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { actionsOf, commandFor, deeds, pathOfMachine, type Deed } from './machine-deeds.ts';
import type { MachineRow } from './machines.tsx';

type OneMachine = Pick<MachineRow, 'cluster' | 'vm' | 'state'>;

export interface AskedDeed {
  readonly row: OneMachine;
  readonly deed: Deed;
}

/** What is on offer for a machine as it is now, for whoever asks. */
export function MachineMenu({ row, isIconOnly = true, onAsk }: { row: OneMachine; isIconOnly?: boolean; onAsk(asked: AskedDeed): void }) {
  async function offered(): Promise<readonly MenuItem[]> {
    const actions = await actionsOf(row);
    return deeds
      .filter(one => Object.hasOwn(actions, one.action))
      .map(deed => ({
        id: deed.action,
        title: deed.title,
        isDanger: deed.isDanger ?? false,
        onChoose: () => onAsk({ row, deed }),
      }));
  }
  return (
    <Menu label={isIconOnly ? `Actions for ${row.vm.metadata.name}` : 'Actions'} icon="more" isIconOnly={isIconOnly} items={offered} />
  );
}

export function MachineDeed({ asked: { row, deed }, onClose }: { asked: AskedDeed; onClose(): void }) {
  const [text, setText] = useState('');
  const { namespace, name } = row.vm.metadata;
  const { action, title, about, field, isDanger = false } = deed;
  const body = field && text !== '' ? { [field.name]: text } : {};
  return (
    <ActionDialog
      title={`${title}: ${name}`}
      verb={title}
      isDanger={isDanger}
      isReady={!field?.isNeeded || text !== ''}
      command={commandFor(row, action, body)}
      onDo={() => request(`${pathOfMachine(row)}?action=${action}`, { method: 'POST', body })}
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
