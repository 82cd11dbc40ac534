import { useState } from 'react';
import { go } from '../../app/place.tsx';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { pathOfMachine } from './machine-deeds.ts';
import type { MachineRow } from './machines.tsx';

/** Removes a machine, and those of its disks that are named. */
export function RemoveMachine({ machine, onClose }: { machine: Pick<MachineRow, 'cluster' | 'vm'>; onClose(): void }) {
  const { cluster, vm } = machine;
  const { namespace, name = '' } = vm.metadata;
  const disks = (vm.spec?.template?.spec?.volumes ?? []).flatMap(one =>
    one.name !== undefined && one.persistentVolumeClaim?.claimName ? [{ disk: one.name, claim: one.persistentVolumeClaim.claimName }] : [],
  );
  const [gone, setGone] = useState<readonly string[]>([]);
  const query = new URLSearchParams(gone.map(disk => ['removedDisks', disk]));
  const path = `${pathOfMachine(machine)}${gone.length > 0 ? `?${query.toString()}` : ''}`;
  return (
    <ActionDialog
      title={`Remove ${name}?`}
      verb="Remove"
      isDanger
      typed={name}
      command={
        gone.length === 0
          ? `drover kubectl ${cluster} -- delete vm ${name} -n ${namespace}`
          : `curl -X DELETE -H "Authorization: Bearer $TOKEN" "$HUB${path}"`
      }
      onDo={async () => {
        await request(path, { method: 'DELETE' });
        go(`/virtualization/${encodeURIComponent(cluster)}`);
      }}
      onClose={onClose}
    >
      <p>
        It goes from namespace {namespace} of <strong>{cluster}</strong>. Disks stay unless they are chosen here.
      </p>
      {disks.length > 0 && (
        <fieldset className="stack tight">
          <legend className="label">Disks that go with it</legend>
          {disks.map(({ disk, claim }) => (
            <label key={disk} className="row">
              <input
                type="checkbox"
                checked={gone.includes(disk)}
                onChange={event => setGone(event.target.checked ? [...gone, disk] : gone.filter(one => one !== disk))}
              />
              {disk} ({claim})
            </label>
          ))}
        </fieldset>
      )}
    </ActionDialog>
  );
}
