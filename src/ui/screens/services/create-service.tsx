import { useMemo, useState, type FormEvent } from 'react';
import { go } from '../../app/place.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { kinds, pathOf, type KubeObject } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { useList } from '../../data/use-list.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { YamlView } from '../../parts/yaml-view.tsx';
import { ClusterPreviews } from './cluster-previews.tsx';
import { destinations, emptyDraft, selectorFault, serviceOf, type ServiceDraft } from './draft-service.ts';
import { keyOf, membersByTarget, placeOf, withoutTarget } from './service-kinds.ts';
import type { Cluster, ClusterDeployment, MultiClusterService } from './service-kinds.ts';

/** For those who may: a form, then what would happen on each cluster, and only then the service. */
export function CreateService({ present }: { present: readonly MultiClusterService[] }) {
  const [isOpen, setOpen] = useState(false);
  const mayCreate = useMay({ verb: 'create', kind: kinds.multiClusterService });
  if (!mayCreate) return null;
  return (
    <>
      <button type="button" className="button main-deed" onClick={() => setOpen(true)}>
        <Icon name="add" />
        Create a service
      </button>
      {isOpen && <CreateDialog present={present} onClose={() => setOpen(false)} />}
    </>
  );
}

function CreateDialog({ present, onClose }: { present: readonly MultiClusterService[]; onClose(): void }) {
  const [draft, setDraft] = useState(emptyDraft);
  const [reviewed, setReviewed] = useState<MultiClusterService>();
  return (
    <Dialog title={reviewed ? `Create service ${draft.name}?` : 'Create a service'} isWide onClose={onClose}>
      {reviewed ? (
        <Review mcs={reviewed} onBack={() => setReviewed(undefined)} onDone={() => (onClose(), go(placeOf(reviewed)))} />
      ) : (
        <Form
          isTaken={present.some(one => keyOf(one) === draft.name)}
          draft={draft}
          onChange={setDraft}
          onNext={() => setReviewed(serviceOf(draft))}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface ServiceTemplate extends KubeObject {
  readonly status?: { readonly valid?: boolean };
}

/** Where k0rdent keeps what all may use. */
const systemNamespace = 'kcm-system';

interface FormProps {
  readonly draft: ServiceDraft;
  /** Whether there is a service of that name: it would be another one that is changed. */
  readonly isTaken: boolean;
  onChange(draft: ServiceDraft): void;
  onNext(): void;
  onClose(): void;
}

function Form({ draft, isTaken, onChange, onNext, onClose }: FormProps) {
  const templates = useList<ServiceTemplate>({ kind: deliveryKinds.serviceTemplate, namespace: systemNamespace });
  const fault = selectorFault(draft.selector);
  const text = (field: keyof ServiceDraft) => ({
    value: draft[field],
    spellCheck: false,
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => onChange({ ...draft, [field]: event.target.value }),
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (fault === undefined && !isTaken) onNext();
  }
  return (
    <form className="stack" onSubmit={submit}>
      <div className="form-grid">
        <div className="field">
          <label className="field">
            <span className="label">Name</span>
            <input
              className="input"
              data-first
              required
              pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
              title="Small letters, digits and dashes"
              {...text('name')}
            />
          </label>
          {isTaken && <span className="fault">There is a service of this name already.</span>}
        </div>
        <label className="field">
          <span className="label">Template</span>
          <select
            className="input"
            required
            value={draft.template}
            onChange={event => onChange({ ...draft, template: event.target.value })}
          >
            <option value="">{templates.state === 'loading' ? 'Loading' : 'Choose one'}</option>
            {templates.items
              .map(one => ({ name: one.metadata.name ?? '', isValid: one.status?.valid === true }))
              .sort((a, b) => (a.name < b.name ? -1 : 1))
              .map(({ name, isValid }) => (
                <option key={name} value={name} disabled={!isValid}>
                  {isValid ? name : `${name} (not valid)`}
                </option>
              ))}
          </select>
          <span className="hint">The version of a chart. Templates are in namespace {systemNamespace}.</span>
        </label>
        <label className="field">
          <span className="label">Clusters with</span>
          <input className="input mono" placeholder="env=prod, tier in (a, b)" {...text('selector')} />
          {fault === undefined ? (
            <span className="hint">Labels of ClusterDeployments, now and later.</span>
          ) : (
            <span className="fault">{fault}</span>
          )}
        </label>
        <label className="field">
          <span className="label">Priority</span>
          <input className="input" type="number" placeholder="100" {...text('priority')} />
          <span className="hint">Who has the higher one gets a release that several want.</span>
        </label>
        <label className="field">
          <span className="label">Release</span>
          <input className="input" placeholder={draft.name || 'web'} {...text('release')} />
        </label>
        <label className="field">
          <span className="label">Namespace on the clusters</span>
          <input className="input" placeholder={draft.name || 'web'} {...text('namespace')} />
        </label>
      </div>
      <label className="field">
        <span className="label">Values, if any</span>
        <textarea className="input mono" rows={4} placeholder="replicas: 2" {...text('values')} />
      </label>
      {templates.error && <ErrorNote error={templates.error} about="Templates" />}
      {fault === undefined && <WhereItGoes mcs={serviceOf(draft)} />}
      <div className="dialog-end">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button main-deed">
          Review
        </button>
      </div>
    </form>
  );
}

const mostRows = 20;

/** Where a service would go, and why not elsewhere, while it is written. */
function WhereItGoes({ mcs }: { mcs: MultiClusterService }) {
  const deployments = useList<ClusterDeployment>({ kind: deliveryKinds.clusterDeployment });
  const clusters = useList<Cluster>({ kind: kinds.cluster });
  const members = useMemo(() => membersByTarget(clusters.items), [clusters.items]);
  const all = destinations(mcs, deployments.items, { members, strays: withoutTarget(clusters.items) });
  const meant = all.filter(({ isMeant }) => isMeant).length;
  if (deployments.state === 'loading') return <Loading />;
  return (
    <div className="stack tight">
      <p role="status">
        It would go to {meant} of {all.length} clusters.
      </p>
      {deployments.error && <ErrorNote error={deployments.error} about="Clusters" />}
      {all.length > 0 && (
        <SmallTable
          name="Where it would go"
          heads={['Cluster', 'Would it go there?', 'Why not']}
          rows={all
            .slice(0, mostRows)
            .map(({ target, isMeant, why }) => [
              <bdi key="name">{members.get(target)?.metadata.name ?? target}</bdi>,
              <StateBadge key="state" tone={isMeant ? 'good' : 'idle'} word={isMeant ? 'Yes' : 'No'} />,
              why,
            ])}
        />
      )}
      {all.length > mostRows && <p className="muted">and {all.length - mostRows} more</p>}
    </div>
  );
}

/** What would happen, as the hub and its clusters say: nothing is written before somebody says so. */
function Review({ mcs, onBack, onDone }: { mcs: MultiClusterService; onBack(): void; onDone(): void }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  async function create(): Promise<void> {
    setBusy(true);
    setError(undefined);
    const query = new URLSearchParams({ fieldManager: 'drover-page', fieldValidation: 'Strict' });
    await request(`${pathOf(kinds.multiClusterService)}?${query.toString()}`, { method: 'POST', body: mcs }).then(onDone, setError);
    setBusy(false);
  }
  return (
    <div className="stack">
      <WhereItGoes mcs={mcs} />
      <ClusterPreviews owner={mcs as unknown as KubeObject} file="service.yaml" />
      <details>
        <summary>As YAML</summary>
        <YamlView object={mcs} name={`MultiClusterService ${mcs.metadata.name ?? ''}`} />
      </details>
      <CommandLine command="kubectl create -f service.yaml" />
      {error !== undefined && <ErrorNote error={error} />}
      <div className="dialog-end">
        <button type="button" className="button" onClick={onBack}>
          Back
        </button>
        <button type="button" className="button main-deed" disabled={isBusy} onClick={() => void create()}>
          Create
        </button>
      </div>
    </div>
  );
}
