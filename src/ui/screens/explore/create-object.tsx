import { useState } from 'react';
import { go } from '../../app/place.tsx';
import type { Scope } from '../../app/scope.tsx';
import { wantsServices } from '../../data/delivery-kinds.ts';
import { hub, objectPlace, pathOf, type Kind, type KubeObject } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { later } from '../../parts/later.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { commandFor } from '../object/command-for.ts';

const ClusterPreviews = later(async () => (await import('../services/cluster-previews.tsx')).ClusterPreviews);
const Editor = later(async () => (await import('../object/schema-editor.tsx')).SchemaEditor);

/** Makes an object on the first cluster of the scope, or on the hub. */
export function CreateButton({ kind, scope }: { kind: Kind; scope: Scope }) {
  const cluster = scope.clusters[0] ?? hub;
  const [isOpen, setOpen] = useState(false);
  const isAllowed = useMay({ verb: 'create', kind, cluster, ...(kind.isNamespaced && { namespace: scope.namespace || 'default' }) });
  if (!isAllowed) return null;
  return (
    <>
      <button type="button" className="button main-deed" onClick={() => setOpen(true)}>
        <Icon name="add" />
        Create
      </button>
      {isOpen && <CreateDialog kind={kind} cluster={cluster} namespace={scope.namespace || 'default'} onClose={() => setOpen(false)} />}
    </>
  );
}

interface CreateDialogProps {
  readonly kind: Kind;
  readonly cluster: string;
  readonly namespace: string;
  onClose(): void;
}

function CreateDialog({ kind, cluster, namespace, onClose }: CreateDialogProps) {
  const first = {
    apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: 'example', ...(kind.isNamespaced && { namespace }) },
  };
  const [text, setText] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  /** What was tried, and is shown with what it would do before it is made. */
  const [reviewed, setReviewed] = useState<KubeObject>();
  const hasReview = cluster === hub && wantsServices(kind);

  async function create(isTrial: boolean): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const { parseObject } = await import('../object/parse-object.ts');
      const object: KubeObject = reviewed ?? (text === undefined ? first : parseObject(text));
      const query = new URLSearchParams({ fieldManager: 'drover-page', fieldValidation: 'Strict', ...(isTrial && { dryRun: 'All' }) });
      const path = pathOf(kind, { cluster, ...(kind.isNamespaced && { namespace: object.metadata.namespace ?? namespace }) });
      const made = await request<KubeObject>(`${path}?${query.toString()}`, { method: 'POST', body: object });
      if (isTrial) return hasReview ? setReviewed(object) : await create(false);
      onClose();
      go(objectPlace(kind, { cluster, namespace: made.metadata.namespace, name: made.metadata.name }));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog title={`Create ${kind.kind} on ${cluster === hub ? 'the hub' : cluster}`} isWide onClose={onClose}>
      <div hidden={reviewed !== undefined}>
        <Editor kind={kind} cluster={cluster} value={first} name={`New ${kind.kind}`} onChange={setText} />
      </div>
      {reviewed && (
        <>
          <p role="status">The server has tried it and would take it. Nothing is written yet.</p>
          <ClusterPreviews owner={reviewed} file={`${kind.kind.toLowerCase()}.yaml`} />
        </>
      )}
      <CommandLine command={commandFor(cluster, `create -f ${kind.kind.toLowerCase()}.yaml`, kind.isNamespaced ? namespace : undefined)} />
      {error !== undefined && <ErrorNote error={error} />}
      <div className="dialog-end">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        {reviewed && (
          <button type="button" className="button" disabled={isBusy} onClick={() => setReviewed(undefined)}>
            Back
          </button>
        )}
        <button type="button" className="button main-deed" disabled={isBusy} onClick={() => void create(!reviewed)}>
          {hasReview && !reviewed ? 'Review' : 'Create'}
        </button>
      </div>
    </Dialog>
  );
}
