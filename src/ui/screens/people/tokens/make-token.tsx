import { useState } from 'react';
import type { Cluster } from '../../../../api/cluster.ts';
import { kinds } from '../../../data/kinds.ts';
import { request } from '../../../data/request.ts';
import { useList } from '../../../data/use-list.ts';
import { ActionDialog } from '../../../parts/action-dialog.tsx';
import { CommandLine } from '../../../parts/command-line.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { quoted } from '../../../parts/quoted.ts';
import { Time } from '../../../parts/time.tsx';
import { Choice } from '../grant.tsx';

const hourMs = 3_600_000;
const lives = [
  { hours: 8, title: '8 hours' },
  { hours: 24, title: 'A day' },
  { hours: 30 * 24, title: '30 days' },
  { hours: 90 * 24, title: '90 days' },
];

interface Made {
  readonly id: string;
  readonly token: string;
  readonly expiresAt?: string;
  readonly clusterId?: string | null;
}

/** A key for a program of one's own. It is shown once, and kept nowhere. */
export function MakeToken({ onMade }: { onMade(): void }) {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Made>();
  return (
    <>
      <button type="button" className="button main-deed" onClick={() => setOpen(true)}>
        <Icon name="add" />
        Make a token
      </button>
      {isOpen && (
        <TokenForm
          onMade={one => {
            setMade(one);
            onMade();
          }}
          onClose={() => setOpen(false)}
        />
      )}
      {made && <MadeDialog made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function TokenForm({ onMade, onClose }: { onMade(made: Made): void; onClose(): void }) {
  const { items: clusters } = useList<Cluster>({ kind: kinds.cluster });
  const [description, setDescription] = useState('');
  const [cluster, setCluster] = useState('');
  const [life, setLife] = useState(30 * 24);
  const chosen = clusters.find(one => one.metadata.name === cluster);
  const flags = [
    ...(description === '' ? [] : [`--description ${quoted(description)}`]),
    ...(cluster === '' ? [] : [`--cluster ${cluster}`]),
    ...(life === 0 ? [] : [`--ttl ${life}h`]),
  ];
  const make = async () =>
    onMade(
      await request<Made>('/v3/tokens', {
        method: 'POST',
        body: {
          description,
          ...(life > 0 && { ttl: life * hourMs }),
          ...(chosen && { clusterId: chosen.status?.id ?? chosen.metadata.name }),
        },
      }),
    );
  return (
    <ActionDialog title="Make a token" verb="Make" command={`drover token create ${flags.join(' ')}`} onDo={make} onClose={onClose}>
      <label className="field">
        <span className="label">What for</span>
        <input
          className="input"
          data-first
          value={description}
          maxLength={1024}
          autoComplete="off"
          onChange={event => setDescription(event.target.value)}
        />
      </label>
      <Choice
        label="Good for"
        none="Everything that you may do"
        value={cluster}
        onChange={setCluster}
        options={clusters.map(one => ({ id: one.metadata.name!, title: `Cluster ${one.metadata.name}` }))}
      />
      <label className="field">
        <span className="label">Ends after</span>
        <select className="input" value={life} onChange={event => setLife(Number(event.target.value))}>
          {lives.map(one => (
            <option key={one.hours} value={one.hours}>
              {one.title}
            </option>
          ))}
          <option value={0}>As the hub says</option>
        </select>
        <span className="hint">The hub may have a shorter limit for all of them.</span>
      </label>
    </ActionDialog>
  );
}

function MadeDialog({ made, onClose }: { made: Made; onClose(): void }) {
  return (
    <Dialog title={`${made.id} is made`} onClose={onClose}>
      <p role="status">
        Copy it now: it is not shown again, and nobody can read it from the hub. It ends{' '}
        {made.expiresAt ? <Time at={made.expiresAt} /> : 'when somebody revokes it'}.
      </p>
      <CommandLine command={made.token} name="token" />
      <div className="stack tight">
        <span className="muted">
          {made.clusterId
            ? 'Programs send it as “Authorization: Bearer …” to'
            : 'To sign in with it in a terminal, which reads it from standard input'}
        </span>
        <CommandLine
          command={made.clusterId ? `${location.origin}/k8s/clusters/${made.clusterId}` : `drover login ${location.origin} --token -`}
        />
      </div>
      <div className="dialog-end">
        <button type="button" className="button main-deed" data-first onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}
