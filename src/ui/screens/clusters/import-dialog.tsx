import { useEffect, useState, type FormEvent } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import { go } from '../../app/place.tsx';
import { kinds } from '../../data/kinds.ts';
import { useObject } from '../../data/use-list.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { createCluster, invite, type Invitation } from './invite-cluster.ts';
import { parseLabels } from './labels.ts';

type Way = 'Tunnel' | 'Sandbox';

/** Adds a cluster: what it is called, what to run on it, and how far it has come. */
export function ImportDialog({ invited, onClose }: { invited?: Cluster; onClose(): void }) {
  const [made, setMade] = useState<{ name: string; way: Way } | undefined>(invited && { name: invited.metadata.name!, way: 'Tunnel' });
  return (
    <Dialog title={made ? `Add ${made.name}` : 'Add a cluster'} isWide onClose={onClose}>
      {!made && <NameStep onMade={(name, way) => setMade({ name, way })} onClose={onClose} />}
      {made && <RunStep name={made.name} way={made.way} onClose={onClose} />}
    </Dialog>
  );
}

function NameStep({ onMade, onClose }: { onMade(name: string, way: Way): void; onClose(): void }) {
  const [name, setName] = useState('');
  const [labels, setLabels] = useState('');
  const [way, setWay] = useState<Way>('Tunnel');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const command = way === 'Tunnel' ? `drover import ${name || 'NAME'}` : `drover sandbox create ${name || 'NAME'}`;
  const flags = Object.entries(parseLabels(labels)).map(([key, value]) => ` --label ${key}=${value}`);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await createCluster(name, parseLabels(labels), way);
      onMade(name, way);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <form className="stack" onSubmit={event => void submit(event)}>
      <label className="field">
        <span className="label">Name</span>
        <input
          className="input"
          data-first
          required
          pattern="[a-z0-9]([\-a-z0-9.]*[a-z0-9])?"
          title="Small letters, digits, dots and dashes"
          spellCheck={false}
          autoComplete="off"
          value={name}
          onChange={event => setName(event.target.value)}
        />
      </label>
      <fieldset className="stack tight">
        <legend className="label">What it is</legend>
        <label className="row">
          <input type="radio" name="way" checked={way === 'Tunnel'} onChange={() => setWay('Tunnel')} />A cluster you have: an agent in it
          dials the hub
        </label>
        <label className="row">
          <input type="radio" name="way" checked={way === 'Sandbox'} onChange={() => setWay('Sandbox')} />A sandbox inside the hub, to try
          things
        </label>
      </fieldset>
      <label className="field">
        <span className="label">Labels, if any</span>
        <textarea
          className="input mono"
          rows={3}
          spellCheck={false}
          placeholder="env=prod"
          value={labels}
          onChange={e => setLabels(e.target.value)}
        />
      </label>
      <div className="stack tight">
        <span className="muted">The same in a terminal</span>
        <CommandLine command={command + flags.join('')} />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="dialog-end">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button main-deed" disabled={isBusy}>
          Next
        </button>
      </div>
    </form>
  );
}

function RunStep({ name, way, onClose }: { name: string; way: Way; onClose(): void }) {
  const [invitation, setInvitation] = useState<Invitation>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (way === 'Tunnel') invite(name).then(setInvitation, setError);
  }, [name, way]);
  return (
    <div className="stack">
      {way === 'Tunnel' && !invitation && error === undefined && <Loading what="Making a token" />}
      {error !== undefined && <ErrorNote error={error} />}
      {invitation && <Commands invitation={invitation} />}
      <Progress name={name} way={way} />
      <div className="dialog-end">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
        <button type="button" className="button main-deed" onClick={() => (onClose(), go(`/clusters/${encodeURIComponent(name)}`))}>
          Open the cluster
        </button>
      </div>
    </div>
  );
}

function Commands({ invitation: { command, insecureCommand, agentCommand, expiresAt } }: { invitation: Invitation }) {
  return (
    <div className="stack tight">
      <p>
        Run this on the cluster. It works for one cluster, and ends <Time at={expiresAt} />.
      </p>
      <CommandLine command={command} />
      <details>
        <summary>The certificate of the hub is not known there</summary>
        <p className="muted">Where the network can be trusted:</p>
        <CommandLine command={insecureCommand} />
      </details>
      <details>
        <summary>It is Harvester</summary>
        <p className="muted">
          Give it the label provider.cattle.io=harvester here. On Harvester open Advanced, Settings, cluster-registration-url, and paste
          this as its value; with true at the end where the certificate of the hub is not known there:
        </p>
        <CommandLine command={JSON.stringify({ url: command.replace(/^.* /, ''), insecureSkipTLSVerify: false })} />
      </details>
      <details>
        <summary>Run the agent outside of the cluster</summary>
        <p className="muted">As a process, with a kubeconfig of the cluster:</p>
        <CommandLine command={agentCommand} />
      </details>
    </div>
  );
}

/** How far a new cluster has come, as it comes. */
function Progress({ name, way }: { name: string; way: Way }) {
  const { object } = useObject<Cluster>(kinds.cluster, { name });
  const isConnected = findCondition(object, 'Connected')?.status === 'True';
  const ready = findCondition(object, 'Ready');
  const isReady = ready?.status === 'True';
  const steps = [
    { title: 'The hub knows it', isDone: object !== undefined },
    { title: way === 'Tunnel' ? 'Its agent is connected' : 'It has been made', isDone: isConnected },
    { title: 'It is ready', isDone: isReady },
  ];
  const current = steps.findIndex(step => !step.isDone);
  return (
    <section className="card stack tight" aria-live="polite">
      <ol className="steps">
        {steps.map(({ title, isDone }, i) => (
          <li key={title} className="row">
            {isDone ? (
              <StateBadge tone="good" word="Done" />
            ) : (
              <StateBadge tone={i === current ? 'info' : 'idle'} word={i === current ? 'Waiting' : 'Later'} isBusy={i === current} />
            )}
            {title}
          </li>
        ))}
      </ol>
      {!isReady && ready && (
        <p className="muted">
          <Icon name="info" size={13} /> {ready.message}
        </p>
      )}
    </section>
  );
}
