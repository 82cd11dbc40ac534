import { useEffect, useState } from 'react';
import { machineKinds } from '../../data/machine-kinds.ts';
import { may } from '../../data/permissions.ts';
import type { MachineRow } from './machines.tsx';

const placeOf = ({ cluster, vm }: Pick<MachineRow, 'cluster' | 'vm'>): string => `${cluster} ${vm.metadata.namespace ?? ''}`;

/** Which machines whoever is signed in may change. Asked once for a cluster, and for each namespace where that is refused. */
export function useChangeable(rows: readonly MachineRow[]): (row: MachineRow) => boolean {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const places = [...new Set(rows.map(placeOf))].toSorted();
  const key = places.join();
  useEffect(() => {
    let isOver = false;
    void Promise.all(places.map(async place => ((await isOpen(place)) ? [place] : []))).then(
      found => isOver || setOpen(new Set(found.flat())),
    );
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key names them
  }, [key]);
  return row => open.has(placeOf(row));
}

async function isOpen(place: string): Promise<boolean> {
  const [cluster = '', namespace = ''] = place.split(' ');
  const deed = { verb: 'update', kind: machineKinds.machine, cluster };
  return (await may(deed)) || may({ ...deed, namespace });
}
