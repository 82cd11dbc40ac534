import { useState } from 'react';
import { go } from '../../app/place.tsx';
import { objectPlace, pathOf, resourceOf } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { titled } from '../../parts/titled.ts';
import type { SourceRow } from './sources.tsx';

/** What can be done with a source. Nothing is asked before somebody wants to know. */
export function SourceDeeds({ row }: { row: SourceRow }) {
  const [isWanted, setWanted] = useState(false);
  const label = `Actions for ${row.source.metadata.name}`;
  if (isWanted) return <Deeds row={row} label={label} />;
  return (
    <button
      type="button"
      className="button bare icon-only"
      aria-label={label}
      aria-haspopup="menu"
      onPointerEnter={titled(label)}
      onClick={() => setWanted(true)}
    >
      <Icon name="more" />
    </button>
  );
}

type Deed = 'look' | 'suspend';

function Deeds({ row: { kind, source }, label }: { row: SourceRow; label: string }) {
  const [deed, setDeed] = useState<Deed>();
  const { namespace = '', name = '' } = source.metadata;
  const mayPatch = useMay({ verb: 'patch', kind, namespace, name });
  const isSuspended = source.spec.suspend === true;
  const items: MenuItem[] = [
    { id: 'open', title: 'Open', icon: 'next', onChoose: () => go(objectPlace(kind, source.metadata)) },
    ...(mayPatch
      ? ([
          { id: 'look', title: 'Look now', icon: 'refresh', onChoose: () => setDeed('look') },
          { id: 'suspend', title: isSuspended ? 'Resume' : 'Suspend', icon: 'idle', onChoose: () => setDeed('suspend') },
        ] as const)
      : []),
  ];
  const patch = (body: object) =>
    request(pathOf(kind, { namespace, name }), { method: 'PATCH', contentType: 'application/merge-patch+json', body });
  const close = () => setDeed(undefined);
  return (
    <>
      <Menu label={label} icon="more" isIconOnly isOpenAtFirst items={items} />
      {deed === 'look' && (
        <ActionDialog
          title={`Look for something newer in ${name}?`}
          verb="Look now"
          command={`kubectl annotate --overwrite -n ${namespace} ${resourceOf(kind)} ${name} ${requestAnnotation}="$(date +%s)"`}
          onClose={close}
          onDo={() => patch({ metadata: { annotations: { [requestAnnotation]: new Date().toISOString() } } })}
        >
          <p>The hub looks at once instead of after its interval. What follows it may be brought up to date.</p>
        </ActionDialog>
      )}
      {deed === 'suspend' && (
        <ActionDialog
          title={isSuspended ? `Resume ${name}?` : `Suspend ${name}?`}
          verb={isSuspended ? 'Resume' : 'Suspend'}
          command={`kubectl patch -n ${namespace} ${resourceOf(kind)} ${name} --type=merge -p '{"spec":{"suspend":${!isSuspended}}}'`}
          onClose={close}
          onDo={() => patch({ spec: { suspend: !isSuspended } })}
        >
          <p>{isSuspended ? 'The hub looks for something newer again.' : 'What was fetched stays in use; nothing newer is looked for.'}</p>
        </ActionDialog>
      )}
    </>
  );
}

const requestAnnotation = 'reconcile.fluxcd.io/requestedAt';
