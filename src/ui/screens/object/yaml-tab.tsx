import { useMemo, useState } from 'react';
import { isOlderVersion } from '../../../api/object.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { wantsServices } from '../../data/delivery-kinds.ts';
import { hub, pathOf, resourceOf, type KubeObject } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { ApiError, request } from '../../data/request.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { isUndecided, mergeTexts } from '../../parts/editor/merge-texts.ts';
import { printYaml, YamlEditor } from '../../parts/editor/yaml-editor.tsx';
import { Icon } from '../../parts/icon.tsx';
import { later } from '../../parts/later.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { ClusterPreviews } from '../services/cluster-previews.tsx';
import { commandFor } from './command-for.ts';
import type { ObjectAt } from './object-place.ts';
import { parseObject } from './parse-object.ts';
import { SchemaEditor } from './schema-editor.tsx';

const DiffView = later(async () => (await import('../../parts/editor/diff-view.tsx')).DiffView);

interface Trial {
  /** What the object is now. */
  readonly before: KubeObject;
  /** What it would be, as the server says. */
  readonly after: KubeObject;
  readonly wanted: KubeObject;
}

/** The object as YAML: read while it changes; edited against what it was, tried by the server, and shown as a difference before it is written. */
export function YamlTab({ object: heard, at }: { object: KubeObject; at: ObjectAt }) {
  const { kind, cluster, namespace, name } = at;
  // What was saved is known before the watch tells of it.
  const [saved, setSaved] = useState<KubeObject>();
  const object = saved && isOlderVersion(heard.metadata.resourceVersion, saved.metadata.resourceVersion) ? saved : heard;
  const isSecret = resourceOf(kind) === 'secrets';
  const mayUpdate = useMay({ verb: 'update', kind, cluster, namespace, name });
  const [isEditing, setEditing] = useState(false);
  const shown = useMemo(() => (isSecret ? withoutValues(object) : object), [object, isSecret]);
  if (isEditing) return <Editing first={object} at={at} onSaved={setSaved} onDone={() => setEditing(false)} />;
  return (
    <div className="stack tight">
      <div className="row">
        {mayUpdate && (
          <button type="button" className="button" onClick={() => setEditing(true)}>
            <Icon name="edit" />
            {isSecret ? 'Edit with values' : 'Edit'}
          </button>
        )}
        {mayUpdate === false && <span className="muted">You may read this and not change it.</span>}
        {isSecret && <span className="muted">Values are hidden here.</span>}
      </div>
      <YamlEditor value={shown} name={`${kind.kind} ${name}`} isReadOnly />
      <CommandLine command={commandFor(cluster, `get ${resourceOf(kind)} ${name} -o yaml`, namespace)} />
    </div>
  );
}

function withoutValues(object: KubeObject): KubeObject {
  const data = Object.fromEntries(Object.keys((object['data'] ?? {}) as object).map(key => [key, '••••••']));
  const annotations = Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !key.endsWith('last-applied-configuration')),
  );
  return { ...object, metadata: { ...object.metadata, annotations }, ...(object['data'] !== undefined && { data }) };
}

interface EditingProps {
  readonly first: KubeObject;
  readonly at: ObjectAt;
  onSaved(object: KubeObject): void;
  onDone(): void;
}

function Editing({ first, at, onSaved, onDone }: EditingProps) {
  const { kind, cluster, namespace, name } = at;
  const [base, setBase] = useState(first);
  // What the editor began with: the object, or what was merged with it since.
  const [start, setStart] = useState(() => printYaml(editable(first)));
  const [text, setText] = useState(start);
  const [trial, setTrial] = useState<Trial>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const path = pathOf(kind, { cluster, namespace, name });
  const isConflict = error instanceof ApiError && error.code === 409;

  async function put(wanted: KubeObject, isTrial: boolean): Promise<KubeObject> {
    const query = new URLSearchParams({ fieldManager: 'drover-page', fieldValidation: 'Strict', ...(isTrial && { dryRun: 'All' }) });
    return request<KubeObject>(`${path}?${query.toString()}`, { method: 'PUT', body: wanted });
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(undefined);
    await work().catch((failure: unknown) => {
      setTrial(undefined);
      setError(failure);
    });
    setBusy(false);
  }

  const preview = () =>
    attempt(async () => {
      if (isUndecided(text))
        throw new Error('Both sides have changed the lines that are marked. Keep what is right of them, and remove the marks.');
      const wanted = parseObject(text);
      wanted.metadata.resourceVersion = base.metadata.resourceVersion!;
      setTrial({ before: base, after: await put(wanted, true), wanted });
    });

  useShortcut('diff', () => void preview());

  const save = () =>
    attempt(async () => {
      const saved = await put(trial!.wanted, false);
      delete saved.metadata.managedFields;
      onSaved(saved);
      onDone();
    });

  /** Somebody else wrote meanwhile: my changes go onto what is there now, and where both changed the same, theirs is shown for me to decide. */
  const takeTheirs = () =>
    attempt(async () => {
      const theirs = await request<KubeObject>(path);
      delete theirs.metadata.managedFields;
      const merged = mergeTexts(printYaml(editable(base)), text, printYaml(editable(theirs)));
      setBase(theirs);
      setStart(merged);
      setText(merged);
    });

  return (
    <div className="stack tight">
      <SchemaEditor key={start} kind={kind} cluster={cluster} value={start} name={`${kind.kind} ${name}`} onChange={setText} />
      {error !== undefined && <ErrorNote error={error} />}
      <div className="row">
        <button type="button" className="button main-deed" disabled={isBusy} onClick={() => void preview()}>
          Review changes
        </button>
        {isConflict && (
          <button type="button" className="button" onClick={() => void takeTheirs()}>
            Merge with what is there now
          </button>
        )}
        <button type="button" className="button" onClick={onDone}>
          Discard
        </button>
        <span className="muted">
          <kbd>Esc</kbd> then <kbd>Tab</kbd> leaves the editor
        </span>
      </div>
      {trial && (
        <Dialog
          title={`Change ${kind.kind} ${name} on ${cluster === hub ? 'the hub' : cluster}?`}
          isWide
          onClose={() => setTrial(undefined)}
        >
          <p className="muted">The server has tried it and would make this of it.</p>
          <DiffView before={printYaml(editable(trial.before))} after={printYaml(editable(trial.after))} />
          {cluster === hub && wantsServices(kind) && <ClusterPreviews owner={trial.wanted} />}
          <CommandLine command={commandFor(cluster, `edit ${resourceOf(kind)} ${name}`, namespace)} />
          <div className="dialog-end">
            <button type="button" className="button" onClick={() => setTrial(undefined)}>
              Back
            </button>
            <button type="button" className="button main-deed" disabled={isBusy} onClick={() => void save()}>
              Save
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** Without what the server alone writes. */
function editable(object: KubeObject): KubeObject {
  const { managedFields: _m, resourceVersion: _r, generation: _g, ...metadata } = object.metadata;
  const { status: _s, ...rest } = object;
  return { ...rest, metadata } as KubeObject;
}
