import { useMemo, useState } from 'react';
import { useUrlValue } from '../../app/place.tsx';
import { useScope } from '../../app/scope.tsx';
import { useMayRead } from '../../data/permissions.ts';
import { useLineStream } from '../../data/use-line-stream.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { YamlView } from '../../parts/yaml-view.tsx';
import '../../styles/delivery.css';
import { clusterOf, isChange, whatOf, whoOf, type AuditEvent } from './audit-event.ts';

interface Row {
  readonly id: number;
  readonly event: AuditEvent;
}

const spans = { '15m': 15, '1h': 60, '24h': 24 * 60, '7d': 7 * 24 * 60 } as const;
const verbs = ['any', 'create', 'update', 'patch', 'delete', 'get', 'list', 'watch'];

/** Who did what where, as it happens. */
export function Audit() {
  const [user, setUser] = useUrlValue('user');
  const [cluster, setCluster] = useUrlValue('of');
  const [verb, setVerb] = useUrlValue('verb');
  const [span, setSpan] = useUrlValue('span');
  const [opened, setOpened] = useState<AuditEvent>();
  const path = useMemo(() => {
    const minutes = spans[span as keyof typeof spans] ?? 60;
    const since = new Date(Date.now() - minutes * 60_000).toISOString();
    const given = Object.entries({ user, cluster, verb: verb === 'any' ? '' : verb }).filter(([, value]) => value !== '');
    return `/audit/events?${new URLSearchParams({ follow: 'true', since, ...Object.fromEntries(given) }).toString()}`;
  }, [user, cluster, verb, span]);
  const mayRead = useMayRead('/audit/events');
  const { lines, isLoading, isLive, error } = useLineStream<AuditEvent>(mayRead ? path : undefined);
  const { clusters, namespace } = useScope();
  const rows = useMemo(() => {
    const isWanted = (event: AuditEvent) =>
      (verb !== '' || isChange(event)) &&
      (clusters.length === 0 || clusters.includes(clusterOf(event))) &&
      (namespace === '' || event.objectRef?.namespace === namespace);
    return lines.map((event, id): Row => ({ id, event })).filter(({ event }) => isWanted(event));
  }, [lines, verb, clusters, namespace]);
  const command = [
    'drover audit --follow',
    `--since ${span || '1h'}`,
    ...(user ? [`--user ${user}`] : []),
    ...(cluster ? [`--cluster ${cluster}`] : []),
    ...(verb && verb !== 'any' ? [`--verb ${verb}`] : []),
  ].join(' ');
  if (mayRead === false)
    return (
      <Page title="Audit">
        <Empty title="Not open to you" command={command}>
          Who did what is shown to those whom the hub lets get the URL /audit/events, as administrators may.
        </Empty>
      </Page>
    );
  return (
    <Page
      title="Audit"
      isFilled
      beside={<StateBadge tone={isLive && !error ? 'good' : 'idle'} word={isLive && !error ? 'Live' : 'Ended'} />}
    >
      {error && <ErrorNote error={error} about="Audit" />}
      <Table
        name="Events"
        rows={rows}
        columns={columns}
        state={isLoading || mayRead === undefined ? 'loading' : 'live'}
        keyOf={one => String(one.id)}
        sort="-time"
        onOpen={one => setOpened(one.event)}
        tools={
          <>
            <Chooser label="Since" value={span || '1h'} options={Object.keys(spans)} onChange={setSpan} />
            <Field label="User" value={user} onChange={setUser} />
            <Field label="Cluster" value={cluster} onChange={setCluster} />
            <Chooser label="Verb" value={verb} options={['', ...verbs]} onChange={setVerb} />
          </>
        }
        empty={
          <Empty title={error ? 'It cannot be shown' : 'Nothing happened'} command={command}>
            {error
              ? 'Those see it whom the hub lets get the URL /audit/events, as administrators may.'
              : 'Nobody did anything of the kind in this time. What happens is added by itself.'}
          </Empty>
        }
      />
      {opened && <EventDialog event={opened} command={command} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

function Field({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  const [text, setText] = useState(value);
  return (
    <input
      className="input small-field"
      aria-label={label}
      placeholder={label}
      value={text}
      spellCheck={false}
      onChange={event => setText(event.target.value)}
      onBlur={() => onChange(text.trim())}
      onKeyDown={event => event.key === 'Enter' && onChange(text.trim())}
    />
  );
}

function Chooser({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly string[];
  onChange(value: string): void;
}) {
  return (
    <select className="input small-field" aria-label={label} value={value} onChange={event => onChange(event.target.value)}>
      {options.map(one => (
        <option key={one} value={one}>
          {one === '' ? 'Changes' : label === 'Since' ? `Last ${one}` : one === 'any' ? 'Everything' : one}
        </option>
      ))}
    </select>
  );
}

function EventDialog({ event, command, onClose }: { event: AuditEvent; command: string; onClose(): void }) {
  return (
    <Dialog title={`${event.verb ?? ''} ${whatOf(event)}`} isWide onClose={onClose}>
      <YamlView object={event} name="The event" />
      <CommandLine command={`${command.replace(' --follow', '')} -o json`} />
      <div className="dialog-end">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

const toneOf = (code: number): Tone => (code >= 500 ? 'bad' : code >= 400 ? 'warn' : 'good');

const columns: readonly Column<Row>[] = [
  {
    id: 'time',
    title: 'When',
    width: '6rem',
    value: ({ event, id }) => (Date.parse(event.requestReceivedTimestamp ?? '') || 0) + id / 1e6,
    cell: ({ event }) => <Time at={event.requestReceivedTimestamp} isAgo />,
  },
  {
    id: 'who',
    title: 'Who',
    width: 'minmax(10rem, 1fr)',
    value: ({ event }) => whoOf(event),
    cell: ({ event }) => <bdi>{whoOf(event)}</bdi>,
  },
  { id: 'cluster', title: 'Cluster', width: 'minmax(7rem, 0.7fr)', value: ({ event }) => clusterOf(event) },
  { id: 'verb', title: 'Verb', width: '6.5rem', value: ({ event }) => event.verb },
  {
    id: 'code',
    title: 'Answer',
    width: '6rem',
    value: ({ event }) => event.responseStatus?.code,
    cell: ({ event: { responseStatus } }) =>
      responseStatus?.code !== undefined && (
        <StateBadge tone={toneOf(responseStatus.code)} word={String(responseStatus.code)} why={responseStatus.message} />
      ),
  },
  {
    id: 'what',
    title: 'What',
    width: 'minmax(16rem, 3fr)',
    value: ({ event }) => whatOf(event),
    cell: ({ event }) => <bdi title={event.requestURI}>{whatOf(event)}</bdi>,
  },
  { id: 'from', title: 'From', width: '9rem', isExtra: true, value: ({ event }) => event.sourceIPs?.[0] },
  { id: 'agent', title: 'Program', width: 'minmax(10rem, 1fr)', isExtra: true, value: ({ event }) => event.userAgent },
];
