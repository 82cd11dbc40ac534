import { useEffect, useMemo, useRef, useState } from 'react';
import { useUrlValue } from '../../app/place.tsx';
import { hub, kinds, pathOf, resourceOf, type KubeObject } from '../../data/kinds.ts';
import { openStream } from '../../data/streams.ts';
import { useList } from '../../data/use-list.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Empty, Loading } from '../../parts/notes.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { ObjectAt } from './object-place.ts';
import { commandFor } from './object.tsx';

interface LogLine {
  readonly id: number;
  readonly from: string;
  readonly text: string;
}

const mostLines = 5000;
const mostPods = 10;
const tellMs = 100;

/** What containers write, as they write it; of all pods of a workload at once. */
export function LogsTab({ object, at }: { object: KubeObject; at: ObjectAt }) {
  const { pods, isLoading } = usePods(object, at);
  const containers = useMemo(() => [...new Set(pods.flatMap(containersOf))], [pods]);
  const [container, setContainer] = useUrlValue('container');
  const [filter, setFilter] = useUrlValue('q');
  const { lines, state, error } = useLogs(at.cluster, pods, container || containers[0]);
  const shown = filter === '' ? lines : lines.filter(one => one.text.toLowerCase().includes(filter.toLowerCase()));
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const place = box.current;
    if (place && isAtEnd.current) place.scrollTop = place.scrollHeight;
  }, [shown]);
  if (pods.length === 0 && isLoading) return <Loading />;
  if (pods.length === 0) return <Empty title="No pods">Nothing runs here that could write a log.</Empty>;
  return (
    <div className="stack tight grow">
      <div className="row">
        <input
          className="input log-filter"
          type="search"
          aria-label="Lines that have"
          placeholder="Lines that have…"
          value={filter}
          onChange={event => setFilter(event.target.value)}
        />
        {containers.length > 1 && (
          <select
            className="input log-filter"
            aria-label="Container"
            value={container || containers[0]}
            onChange={event => setContainer(event.target.value)}
          >
            {containers.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        <StateBadge tone={state === 'live' ? 'good' : 'idle'} word={state === 'live' ? 'Live' : 'Ended'} />
        {error !== undefined && <span className="muted">{error}</span>}
        <span className="muted">{shown.length.toLocaleString()} lines</span>
      </div>
      <div
        className="log"
        role="log"
        aria-label={`Log of ${at.name}`}
        tabIndex={0}
        ref={box}
        onScroll={event => {
          const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - 40;
        }}
      >
        {shown.length === 0 && (
          <span className="muted">{lines.length === 0 ? 'Nothing was written yet.' : 'No line has these words.'}</span>
        )}
        {shown.map(({ id, from, text }) => (
          <div key={id}>
            {pods.length > 1 && <span className="log-from">{from} </span>}
            {text}
          </div>
        ))}
      </div>
      <CommandLine
        command={commandFor(
          at.cluster,
          `logs -f ${resourceOf(at.kind) === 'pods' ? at.name : `${at.kind.kind.toLowerCase()}/${at.name}`}`,
          at.namespace,
        )}
      />
    </div>
  );
}

const containersOf = (pod: KubeObject): string[] =>
  ((pod['spec'] as { containers?: { name: string }[] } | undefined)?.containers ?? []).map(one => one.name);

function usePods(object: KubeObject, { kind, cluster, namespace }: ObjectAt): { pods: readonly KubeObject[]; isLoading: boolean } {
  const isPod = resourceOf(kind) === 'pods';
  const { matchLabels = {} } = (object['spec'] as { selector?: { matchLabels?: Record<string, string> } } | undefined)?.selector ?? {};
  const labelSelector = Object.entries(matchLabels)
    .map(pair => pair.join('='))
    .join();
  const { items, state } = useList(isPod || labelSelector === '' ? undefined : { cluster, kind: kinds.pod, namespace, labelSelector });
  const pods = useMemo(() => (isPod ? [object] : items.slice(0, mostPods)), [isPod, object, items]);
  return { pods, isLoading: !isPod && labelSelector !== '' && state === 'loading' };
}

function useLogs(cluster: string = hub, pods: readonly KubeObject[], container: string | undefined) {
  const [shown, setShown] = useState<{ lines: readonly LogLine[]; state: 'live' | 'ended'; error?: string }>({ lines: [], state: 'live' });
  const key = pods.map(one => one.metadata.uid).join();
  useEffect(() => {
    let lines: LogLine[] = [];
    let next = 0;
    let open = pods.length;
    let telling: ReturnType<typeof setTimeout> | undefined;
    let error: string | undefined;
    const tell = () =>
      (telling ??= setTimeout(() => {
        telling = undefined;
        if (lines.length > mostLines) lines = lines.slice(-mostLines);
        setShown({ lines: [...lines], state: open > 0 ? 'live' : 'ended', ...(error !== undefined && { error }) });
      }, tellMs));
    const closes = pods.map(({ metadata }) => {
      const from = metadata.name ?? '';
      const query = new URLSearchParams({ follow: 'true', tailLines: '1000', ...(container !== undefined && { container }) });
      const path = `${pathOf(kinds.pod, { cluster, namespace: metadata.namespace, name: from, subresource: 'log' })}?${query.toString()}`;
      let rest = '';
      return openStream(
        path,
        {
          onText(text) {
            const parts = (rest + text).split('\n');
            rest = parts.pop()!;
            for (const one of parts) lines.push({ id: next++, from, text: visible(one) });
            tell();
          },
          onEnd(failure) {
            open--;
            error = failure?.message;
            if (rest !== '') lines.push({ id: next++, from, text: visible(rest) });
            tell();
          },
        },
        '*/*',
      );
    });
    if (pods.length > 0) tell();
    return () => {
      clearTimeout(telling);
      closes.forEach(close => close());
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key names the pods
  }, [cluster, key, container]);
  return shown;
}

/** Colours of terminals are left out; other control characters are shown, never obeyed. */
const visible = (text: string): string =>
  text
    .replaceAll(/\x1b\[[0-9;]*m/g, '')
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, one => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
