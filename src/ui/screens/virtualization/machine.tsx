import { useState } from 'react';
import { useParams } from 'wouter';
import { go } from '../../app/place.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { machineKinds } from '../../data/machine-kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { useObject } from '../../data/use-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { later } from '../../parts/later.tsx';
import { Empty, ErrorNote, Loading, NoSuchPart } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { ObjectEvents } from '../object/object-events.tsx';
import type { ConsoleKind, MachineAt } from './console-socket.ts';
import { MachineFacts } from './machine-facts.tsx';
import { MachineDeed, MachineMenu, type AskedDeed } from './machine-menu.tsx';
import { machinePlace } from './machine-place.ts';
import { machineState, type Instance, type Machine } from './machine-state.ts';
import { RemoveMachine } from './remove-machine.tsx';
import { useConsoles } from './use-consoles.ts';

const VncConsole = later(async () => (await import('./vnc-console.tsx')).VncConsole);
const SerialConsole = later(async () => (await import('./serial-console.tsx')).SerialConsole);
const YamlTab = later(async () => (await import('../object/yaml-tab.tsx')).YamlTab);

/** One virtual machine. */
export function MachineScreen() {
  const params = useParams<Record<string, string>>();
  const decoded = (name: string) => decodeURIComponent(params[name] ?? '');
  const at = { cluster: decoded('cluster'), namespace: decoded('ns'), name: decoded('name') };
  return <OneMachine key={Object.values(at).join(' ')} at={at} tab={params['*'] ?? ''} />;
}

function OneMachine({ at, tab }: { at: MachineAt; tab: string }) {
  const { cluster, namespace, name } = at;
  const { object: vm, listed } = useObject<Machine>(machineKinds.machine, at);
  const { object: vmi } = useObject<Instance>(machineKinds.instance, at);
  const consoles = useConsoles(at);
  const mayDelete = useMay({ verb: 'delete', kind: machineKinds.machine, cluster, namespace, name });
  const [asked, setAsked] = useState<AskedDeed>();
  const [isRemoving, setRemoving] = useState(false);
  const state = vm && machineState(vm, vmi);
  const base = machinePlace(cluster, at);
  useShortcut('edit', () => go(`${base}/yaml`));
  useShortcut(consoles?.has('console') ? 'shell' : undefined, () => go(`${base}/serial`));
  const tabs = [
    { id: '', title: 'Overview' },
    ...(consoles?.has('vnc') ? [{ id: 'screen', title: 'Screen' }] : []),
    ...(consoles?.has('console') ? [{ id: 'serial', title: 'Serial console' }] : []),
    { id: 'events', title: 'Events' },
    { id: 'yaml', title: 'YAML' },
  ];
  return (
    <Page
      title={name}
      above={[
        { title: 'Virtualization', to: '/virtualization' },
        { title: cluster, to: `/virtualization/${encodeURIComponent(cluster)}` },
        { title: namespace, to: `/virtualization/${encodeURIComponent(cluster)}?ns=${encodeURIComponent(namespace)}` },
      ]}
      beside={state && <StateBadge {...state} />}
      actions={
        vm &&
        state && (
          <>
            <MachineMenu row={{ cluster, vm, state }} isIconOnly={false} onAsk={setAsked} />
            {mayDelete && (
              <button type="button" className="button" onClick={() => setRemoving(true)}>
                <Icon name="remove" />
                Remove
              </button>
            )}
          </>
        )
      }
    >
      {listed.error && <ErrorNote error={listed.error} about={name} />}
      <Tabs tabs={tabs} current={tab} base={base} />
      {!vm && listed.state === 'loading' && <Loading />}
      {!vm && listed.state !== 'loading' && !listed.error && (
        <Empty title={`${name} is not there`} command={`drover get virtualmachines -n ${namespace} -C ${cluster}`}>
          It may have been removed meanwhile, or you may not see it.
        </Empty>
      )}
      {vm && <Tab {...{ vm, vmi, at, tab, base, consoles }} />}
      {asked && <MachineDeed asked={asked} onClose={() => setAsked(undefined)} />}
      {isRemoving && vm && <RemoveMachine machine={{ cluster, vm }} onClose={() => setRemoving(false)} />}
    </Page>
  );
}

interface TabProps {
  readonly vm: Machine;
  readonly vmi: Instance | undefined;
  readonly at: MachineAt;
  readonly tab: string;
  readonly base: string;
  readonly consoles: ReadonlySet<ConsoleKind> | undefined;
}

function Tab({ vm, vmi, at, tab, base, consoles }: TabProps) {
  const isRunning = vmi?.status?.phase === 'Running';
  // A machine that was started again is another instance, with consoles of its own.
  const key = vmi?.metadata.uid;
  switch (tab) {
    case '':
      return <MachineFacts vm={vm} vmi={vmi} at={at} />;
    case 'screen':
      if (!consoles?.has('vnc')) return consoles ? <NoConsole /> : <Loading />;
      return isRunning ? <VncConsole key={key} at={at} /> : <Off name={at.name} />;
    case 'serial':
      if (!consoles?.has('console')) return consoles ? <NoConsole /> : <Loading />;
      return isRunning ? <SerialConsole key={key} at={at} /> : <Off name={at.name} />;
    case 'events':
      return <ObjectEvents object={vmi ?? vm} cluster={at.cluster} />;
    case 'yaml':
      return <YamlTab object={vm} at={{ ...at, kind: machineKinds.machine, tab, base }} />;
    default:
      return <NoSuchPart />;
  }
}

function NoConsole() {
  return (
    <Empty title="No console">
      The cluster has none (its API lacks subresources.kubevirt.io), or you may not open it: that takes the right to get
      virtualmachineinstances/vnc or /console.
    </Empty>
  );
}

function Off({ name }: { name: string }) {
  return (
    <Empty title={`${name} does not run`}>A machine has a screen and a serial port while it runs. Start it by its actions, above.</Empty>
  );
}
