import { PlaceLink } from '../../app/place.tsx';
import { kinds, objectPlace } from '../../data/kinds.ts';
import { machineKinds } from '../../data/machine-kinds.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { Tags } from '../../parts/tags.tsx';
import { Time } from '../../parts/time.tsx';
import { Conditions } from '../object/object-facts.tsx';
import type { MachineAt } from './console-socket.ts';
import { coresOf, memoryOf, type Instance, type Machine } from './machine-state.ts';

/** What a machine is made of, and where it runs. */
export function MachineFacts({ vm, vmi, at }: { vm: Machine; vmi: Instance | undefined; at: MachineAt }) {
  const { cluster } = at;
  const node = vmi?.status?.nodeName;
  const conditions = [...(vm.status?.conditions ?? []), ...(vmi?.status?.conditions ?? [])];
  const unique = [...new Map(conditions.map(one => [one.type, one])).values()];
  return (
    <div className="stack">
      <section className="card">
        <dl className="facts">
          <dt>CPU cores</dt>
          <dd>{coresOf(vm) ?? '–'}</dd>
          <dt>Memory</dt>
          <dd>{memoryOf(vm) || '–'}</dd>
          <dt>Runs on</dt>
          <dd>{node ? <PlaceLink to={objectPlace(kinds.node, { cluster, name: node })}>{node}</PlaceLink> : '–'}</dd>
          <dt>Run strategy</dt>
          <dd>{vm.spec?.runStrategy ?? '–'}</dd>
          <dt>Description</dt>
          <dd>{vm.metadata.annotations?.['field.cattle.io/description'] ?? '–'}</dd>
          <dt>Labels</dt>
          <dd>
            <Tags labels={vm.metadata.labels} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={vm.metadata.creationTimestamp} isAgo />
          </dd>
        </dl>
      </section>
      <Disks vm={vm} at={at} />
      <Networks vm={vm} vmi={vmi} at={at} />
      {unique.length > 0 && <Conditions conditions={unique} />}
    </div>
  );
}

function Disks({ vm, at: { cluster, namespace } }: { vm: Machine; at: MachineAt }) {
  const volumes = vm.spec?.template?.spec?.volumes ?? [];
  return (
    <section className="card stack tight">
      <h2>Disks</h2>
      {volumes.length === 0 && <p className="muted">It has none.</p>}
      {volumes.length > 0 && (
        <SmallTable
          name="Disks"
          heads={['Name', 'Holds']}
          rows={volumes.map(({ name, persistentVolumeClaim, cloudInitNoCloud }) => [
            name,
            persistentVolumeClaim?.claimName ? (
              <PlaceLink to={objectPlace(machineKinds.volume, { cluster, namespace, name: persistentVolumeClaim.claimName })}>
                {persistentVolumeClaim.claimName}
              </PlaceLink>
            ) : cloudInitNoCloud ? (
              'What cloud-init gets'
            ) : (
              '–'
            ),
          ])}
        />
      )}
    </section>
  );
}

function Networks({ vm, vmi, at: { cluster } }: { vm: Machine; vmi: Instance | undefined; at: MachineAt }) {
  const networks = vm.spec?.template?.spec?.networks ?? [];
  if (networks.length === 0) return null;
  return (
    <section className="card stack tight">
      <h2>Networks</h2>
      <SmallTable
        name="Networks"
        heads={['Name', 'Network', 'Address']}
        rows={networks.map(({ name, multus }) => {
          const [namespace = '', network = ''] = (multus?.networkName ?? '').split('/');
          return [
            name,
            multus ? (
              <PlaceLink to={objectPlace(machineKinds.network, { cluster, namespace, name: network })}>{multus.networkName}</PlaceLink>
            ) : (
              'Of the cluster itself'
            ),
            vmi?.status?.interfaces?.find(one => one.name === name)?.ipAddress ?? '–',
          ];
        })}
      />
    </section>
  );
}
