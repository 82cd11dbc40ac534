import { useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { cordonTaint, isDrained } from '../../../api/cluster-taints.ts';
import { go } from '../../app/place.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { kinds, pathOf } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { later } from '../../parts/later.tsx';
import { titled } from '../../parts/titled.ts';
import { idOf } from './cluster-kind.ts';
import { useMayOpenShell } from '../cluster/shell/may-open-shell.ts';
import { isHarvester } from '../virtualization/harvester-clusters.ts';
import { CordonDialog, UncordonDialog } from './cordon-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { KubeconfigDialog } from './kubeconfig-dialog.tsx';
import { LabelsDialog } from './labels-dialog.tsx';

const DrainClusterDialog = later(async () => (await import('./drain-cluster-dialog.tsx')).DrainClusterDialog);

type Deed = 'labels' | 'kubeconfig' | 'pause' | 'cordon' | 'uncordon' | 'drain' | 'import' | 'remove';

/** The same at the end of a row. Rows are many and come and go: nothing is asked before somebody wants to know. */
export function RowDeeds({ cluster }: { cluster: Cluster }) {
  const { uid, name } = cluster.metadata;
  const [wanted, setWanted] = useState<string>();
  const label = `Actions for ${name}`;
  if (wanted !== undefined && wanted !== uid) setWanted(undefined);
  if (wanted === uid) return <ClusterDeeds key={uid} cluster={cluster} isInRow />;
  return (
    <button
      type="button"
      className="button bare icon-only"
      aria-label={label}
      onPointerEnter={titled(label)}
      aria-haspopup="menu"
      onClick={() => setWanted(uid)}
    >
      <Icon name="more" />
    </button>
  );
}

/** What can be done with a cluster, by those who may. */
export function ClusterDeeds({ cluster, isInRow = false }: { cluster: Cluster; isInRow?: boolean }) {
  const [deed, setDeed] = useState<Deed>();
  const mayChange = useMay({ verb: 'patch', kind: kinds.cluster });
  const mayRemove = useMay({ verb: 'delete', kind: kinds.cluster });
  const mayInvite = useMay({ verb: 'create', kind: kinds.secret, namespace: idOf(cluster) });
  const maySeeWorks = useMay({ verb: 'list', kind: kinds.work, namespace: idOf(cluster) });
  const maySeeSets = useMay({ verb: 'list', kind: deliveryKinds.serviceSet });
  const mayOpenShell = useMayOpenShell(cluster);
  const isClosed = cluster.spec.taints?.some(one => one.key === cordonTaint) === true;
  const name = cluster.metadata.name!;
  const isPaused = cluster.spec.paused === true;
  const isWaiting = cluster.spec.connection.mode === 'Tunnel' && cluster.status?.agentVersion === undefined;
  const close = () => setDeed(undefined);
  const items: MenuItem[] = [
    { id: 'open', title: 'Open', icon: 'next', onChoose: () => go(`/clusters/${encodeURIComponent(name)}`) },
    { id: 'explore', title: 'Explore', icon: 'explore', onChoose: () => go(`/explore/core/v1/pods?cluster=${encodeURIComponent(name)}`) },
    // Members answer later than the hub: until then it keeps its place, so that nothing moves under the pointer.
    ...(mayOpenShell !== false
      ? [
          {
            id: 'shell',
            title: 'Kubectl shell',
            icon: 'terminal',
            onChoose: () => go(`/clusters/${encodeURIComponent(name)}/shell`),
          } as const,
        ]
      : []),
    { id: 'kubeconfig', title: 'Kubeconfig', icon: 'key', onChoose: () => setDeed('kubeconfig') },
    ...(isWaiting && mayInvite
      ? [{ id: 'import', title: 'How to connect it', icon: 'add', onChoose: () => setDeed('import') } as const]
      : []),
    ...(mayChange
      ? ([
          { id: 'labels', title: 'Labels', icon: 'label', onChoose: () => setDeed('labels') },
          { id: 'pause', title: isPaused ? 'Resume deliveries' : 'Pause deliveries', icon: 'idle', onChoose: () => setDeed('pause') },
          {
            id: 'cordon',
            title: isClosed ? 'Uncordon' : 'Cordon',
            icon: 'idle',
            onChoose: () => setDeed(isClosed ? 'uncordon' : 'cordon'),
          },
        ] as const)
      : []),
    ...(mayChange && maySeeWorks && maySeeSets && !isDrained(cluster)
      ? [{ id: 'drain', title: 'Drain', icon: 'leave', isDanger: true, onChoose: () => setDeed('drain') } as const]
      : []),
    ...(mayRemove ? [{ id: 'remove', title: 'Remove', icon: 'remove', isDanger: true, onChoose: () => setDeed('remove') } as const] : []),
  ];
  return (
    <>
      <Menu label={isInRow ? `Actions for ${name}` : 'Actions'} icon="more" isIconOnly={isInRow} isOpenAtFirst={isInRow} items={items} />
      {deed === 'labels' && <LabelsDialog cluster={cluster} onClose={close} />}
      {deed === 'kubeconfig' && <KubeconfigDialog cluster={cluster} onClose={close} />}
      {deed === 'import' && <ImportDialog invited={cluster} onClose={close} />}
      {deed === 'pause' && <PauseDialog name={name} isPaused={isPaused} onClose={close} />}
      {deed === 'cordon' && <CordonDialog cluster={cluster} onClose={close} />}
      {deed === 'uncordon' && <UncordonDialog cluster={cluster} onClose={close} />}
      {deed === 'drain' && <DrainClusterDialog cluster={cluster} onClose={close} />}
      {deed === 'remove' && <RemoveDialog cluster={cluster} onClose={close} />}
    </>
  );
}

function PauseDialog({ name, isPaused, onClose }: { name: string; isPaused: boolean; onClose(): void }) {
  const body = { spec: { paused: !isPaused } };
  return (
    <ActionDialog
      title={isPaused ? `Resume deliveries to ${name}?` : `Pause deliveries to ${name}?`}
      verb={isPaused ? 'Resume' : 'Pause'}
      command={`kubectl patch clusters.drover.io ${name} --type=merge -p '${JSON.stringify(body)}'`}
      onClose={onClose}
      onDo={() => request(pathOf(kinds.cluster, { name }), { method: 'PATCH', contentType: 'application/merge-patch+json', body })}
    >
      <p>{isPaused ? 'The hub brings it up to date again.' : 'What runs there goes on. The hub changes nothing there until you resume.'}</p>
    </ActionDialog>
  );
}

/** On Harvester itself. */
const forgetHub = `kubectl patch settings.harvesterhci.io cluster-registration-url --type=merge -p '{"value":""}'`;

function RemoveDialog({ cluster, onClose }: { cluster: Cluster; onClose(): void }) {
  const name = cluster.metadata.name!;
  const [isForced, setForced] = useState(false);
  const path = pathOf(kinds.cluster, { name });
  const force = { metadata: { annotations: { 'drover.io/force-removal': 'true' } } };
  const isSandbox = cluster.spec.connection.mode === 'Sandbox';
  async function remove(): Promise<void> {
    if (isForced) await request(path, { method: 'PATCH', contentType: 'application/merge-patch+json', body: force });
    await request(path, { method: 'DELETE' });
  }
  return (
    <ActionDialog
      title={`Remove ${name}?`}
      verb="Remove"
      isDanger
      typed={name}
      command={`drover unjoin ${name}${isForced ? ' --force' : ''}`}
      onClose={onClose}
      onDo={remove}
    >
      <p>
        {isSandbox
          ? 'The sandbox cluster and everything in it will be gone for good.'
          : 'The hub takes back what it put there, removes its agent, and forgets the cluster. What others put there stays.'}
      </p>
      {isHarvester(cluster) && !isSandbox && (
        <div className="stack tight">
          <p>
            Its machines and its namespace cattle-system stay. Afterwards empty the setting on Harvester, so that it does not keep an agent;
            never delete there by the manifest of the import.
          </p>
          <CommandLine command={forgetHub} />
        </div>
      )}
      {!isSandbox && (
        <label className="row">
          <input type="checkbox" checked={isForced} onChange={event => setForced(event.target.checked)} />
          It is gone for good: do not clean up there
        </label>
      )}
    </ActionDialog>
  );
}
