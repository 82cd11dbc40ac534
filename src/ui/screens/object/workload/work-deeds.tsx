import { useState } from 'react';
import { reapplyPatch, whyNotReapplied } from '../../../../api/why-not-reapplied.ts';
import { workAnnotations } from '../../../../api/work-annotations.ts';
import type { Work } from '../../../../api/work.ts';
import { kinds, pathOf } from '../../../data/kinds.ts';
import { may } from '../../../data/permissions.ts';
import { request } from '../../../data/request.ts';
import { ActionDialog } from '../../../parts/action-dialog.tsx';
import { Menu, type MenuItem } from '../../../parts/menu.tsx';
import { Time } from '../../../parts/time.tsx';

const mergePatch = 'application/merge-patch+json';

/** What can be done with a Work, by those who may. Nothing is asked before somebody opens the menu. */
export function WorkDeeds({ work, isInRow = false }: { work: Work; isInRow?: boolean }) {
  const { namespace, name, deletionTimestamp, annotations } = work.metadata;
  const [deed, setDeed] = useState<'reapply' | 'release'>();
  const close = () => setDeed(undefined);
  // Whoever made it would make it again.
  const isWanted = annotations?.[workAnnotations.owner] !== undefined && deletionTimestamp === undefined;

  async function items(): Promise<readonly MenuItem[]> {
    const [mayPatch, mayDelete] = await Promise.all([
      may({ verb: 'patch', kind: kinds.work, namespace, name }),
      may({ verb: 'delete', kind: kinds.work, namespace, name }),
    ]);
    return [
      ...(mayPatch ? [{ id: 'reapply', title: 'Re-apply', icon: 'refresh', onChoose: () => setDeed('reapply') } as const] : []),
      ...(mayPatch && mayDelete && !isWanted
        ? [{ id: 'release', title: 'Release', icon: 'leave', isDanger: true, onChoose: () => setDeed('release') } as const]
        : []),
    ];
  }

  return (
    <>
      <Menu label={isInRow ? `Actions for ${name}` : 'Actions'} icon="more" isIconOnly={isInRow} items={items} />
      {deed === 'reapply' && <ReapplyDialog work={work} onClose={close} />}
      {deed === 'release' && <ReleaseDialog work={work} onClose={close} />}
    </>
  );
}

const clusterOf = ({ metadata, status }: Work): string => status?.cluster ?? metadata.annotations?.['drover.io/cluster'] ?? '';

const named = (work: Work): string => `work/${work.metadata.name} -n ${work.metadata.namespace}`;

function ReapplyDialog({ work, onClose }: { work: Work; onClose(): void }) {
  const { namespace, name } = work.metadata;
  const why = whyNotReapplied(work);
  const at = work.status?.delivered?.at;
  return (
    <ActionDialog
      title={`Re-apply ${name} on ${clusterOf(work)}?`}
      verb="Re-apply"
      isReady={why === undefined}
      command={`drover reapply ${named(work)}`}
      onClose={onClose}
      onDo={() =>
        request(pathOf(kinds.work, { namespace, name }), { method: 'PATCH', contentType: mergePatch, body: reapplyPatch(new Date()) })
      }
    >
      <p>Everything that it delivers is put there once more: what others changed is put right. A chart gets a new revision.</p>
      {why !== undefined && (
        <p className="note warn" role="status">
          Not now: {why}.
        </p>
      )}
      {at !== undefined && (
        <p className="muted">
          Last applied <Time at={at} isAgo />.
        </p>
      )}
    </ActionDialog>
  );
}

function ReleaseDialog({ work, onClose }: { work: Work; onClose(): void }) {
  const { namespace, name = '', deletionTimestamp } = work.metadata;
  const path = pathOf(kinds.work, { namespace, name });
  const objects = work.status?.objects?.length ?? 0;
  async function release(): Promise<void> {
    const body = { metadata: { annotations: { [workAnnotations.forceRemoval]: 'true' } } };
    await request(path, { method: 'PATCH', contentType: mergePatch, body });
    if (deletionTimestamp === undefined) await request(path, { method: 'DELETE' });
  }
  return (
    <ActionDialog
      title={`Release ${name} of ${clusterOf(work)}?`}
      verb="Release"
      isDanger
      typed={name}
      command={`drover release ${named(work)} --force`}
      onClose={onClose}
      onDo={release}
    >
      <p>
        For a member that is lost: the Work goes, and nothing is taken off the member.{' '}
        {objects === 1 ? 'One object stays' : `${objects} objects stay`} there, and nobody looks after {objects === 1 ? 'it' : 'them'} any
        more.
      </p>
    </ActionDialog>
  );
}
