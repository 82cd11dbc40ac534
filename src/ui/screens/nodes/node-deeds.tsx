import { useState } from 'react';
import { go } from '../../app/place.tsx';
import { kinds, objectPlace } from '../../data/kinds.ts';
import { may } from '../../data/permissions.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { DrainDialog } from './drain-dialog.tsx';
import { setCordon } from './drain-node.ts';

interface NodeDeedsProps {
  readonly cluster: string;
  readonly name: string;
  readonly isCordoned: boolean;
  /** Whether it stands at the end of a row. */
  readonly isInRow?: boolean;
}

/** What can be done with a node, by those who may. Nothing is asked before somebody opens the menu. */
export function NodeDeeds({ cluster, name, isCordoned, isInRow = false }: NodeDeedsProps) {
  const [deed, setDeed] = useState<'cordon' | 'drain'>();
  const close = () => setDeed(undefined);

  async function items(): Promise<readonly MenuItem[]> {
    const [mayCordon, mayEvict, mayList] = await Promise.all([
      may({ verb: 'patch', kind: kinds.node, cluster, name }),
      may({ verb: 'create', kind: kinds.pod, subresource: 'eviction', cluster }),
      may({ verb: 'list', kind: kinds.pod, cluster }),
    ]);
    return [
      ...(isInRow
        ? [{ id: 'open', title: 'Open', icon: 'next', onChoose: () => go(objectPlace(kinds.node, { cluster, name })) } as const]
        : []),
      ...(mayCordon
        ? [{ id: 'cordon', title: isCordoned ? 'Uncordon' : 'Cordon', icon: 'idle', onChoose: () => setDeed('cordon') } as const]
        : []),
      ...(mayCordon && mayEvict && mayList
        ? [{ id: 'drain', title: 'Drain', icon: 'leave', isDanger: true, onChoose: () => setDeed('drain') } as const]
        : []),
    ];
  }

  return (
    <>
      <Menu label={isInRow ? `Actions for ${name}` : 'Actions'} icon="more" isIconOnly={isInRow} items={items} />
      {deed === 'cordon' && <CordonDialog cluster={cluster} name={name} isCordoned={isCordoned} onClose={close} />}
      {deed === 'drain' && <DrainDialog cluster={cluster} node={name} onClose={close} />}
    </>
  );
}

function CordonDialog({ cluster, name, isCordoned, onClose }: Omit<NodeDeedsProps, 'isInRow'> & { onClose(): void }) {
  const word = isCordoned ? 'uncordon' : 'cordon';
  return (
    <ActionDialog
      title={`${isCordoned ? 'Uncordon' : 'Cordon'} ${name} of ${cluster}?`}
      verb={isCordoned ? 'Uncordon' : 'Cordon'}
      command={`drover kubectl ${cluster} -- ${word} ${name}`}
      onClose={onClose}
      onDo={() => setCordon(cluster, name, !isCordoned)}
    >
      <p>{isCordoned ? 'New pods may come to it again.' : 'Pods that are on it stay. New ones go elsewhere until you uncordon it.'}</p>
    </ActionDialog>
  );
}
