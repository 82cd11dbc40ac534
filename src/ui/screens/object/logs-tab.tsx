import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useUrlValue } from '../../app/place.tsx';
import { kinds, resourceOf, type KubeObject } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { LineFilter } from '../../parts/line-filter.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Lines } from '../../parts/lines.tsx';
import { Empty, Loading } from '../../parts/notes.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { containersOf, lifeOf } from './logs/container-life.ts';
import type { FollowState } from './logs/follow-container.ts';
import { levels, linesWith, type LogLine } from './logs/log-line.ts';
import { PodLogs, type ReadLogs } from './logs/pod-logs.ts';
import { selectorOf } from './selector-of.ts';
import type { ObjectAt } from './object-place.ts';
import { commandFor } from './command-for.ts';

const mostPods = 20;
const states: Readonly<Record<FollowState, { tone: Tone; word: string }>> = {
  live: { tone: 'good', word: 'Live' },
  opening: { tone: 'info', word: 'Opening' },
  waiting: { tone: 'info', word: 'Waiting for more' },
  ended: { tone: 'idle', word: 'Ended' },
};

/** What containers write, as they write it; of all pods of a workload at once. */
export function LogsTab({ object, at }: { object: KubeObject; at: ObjectAt }) {
  const { pods: all, isLoading } = usePods(object, at);
  const [onlyPod, setOnlyPod] = useUrlValue('pod');
  const [container, setContainer] = useUrlValue('container');
  const [isPrevious, setPrevious] = useUrlSwitch('previous');
  const pods = useMemo(() => all.filter(one => onlyPod === '' || one.metadata.name === onlyPod).slice(0, mostPods), [all, onlyPod]);
  const containers = useMemo(() => [...new Set(all.flatMap(containersOf))], [all]);
  const { read, setFollowing } = useLogs(pods, { cluster: at.cluster, container: container || (containers[0] ?? ''), isPrevious });
  const wasRestarted = isPrevious || pods.some(pod => containers.some(one => lifeOf(pod, one).restarts > 0));
  if (all.length === 0 && isLoading) return <Loading />;
  if (all.length === 0) return <Empty title="No pods">Nothing runs here that could write a log.</Empty>;
  return (
    <div className="stack tight grow">
      <div className="row">
        {containers.length > 1 && (
          <Choice name="Container" value={container || containers[0]!} onChange={setContainer}>
            {containers.map(name => (
              <option key={name}>{name}</option>
            ))}
            <option value={everything}>All containers</option>
          </Choice>
        )}
        {all.length > 1 && (
          <Choice name="Pod" value={onlyPod} onChange={setOnlyPod}>
            <option value="">{all.length > mostPods ? `${mostPods} of ${all.length} pods` : `All ${all.length} pods`}</option>
            {all.map(({ metadata }) => (
              <option key={metadata.uid}>{metadata.name}</option>
            ))}
          </Choice>
        )}
        {wasRestarted && <Switch title="Before the last restart" isOn={isPrevious} onChange={setPrevious} />}
        <StateBadge {...states[read.state]} isBusy={read.state === 'opening'} />
        {read.errors.slice(0, 2).map(error => (
          <span key={error} className="muted">
            {error}
          </span>
        ))}
      </div>
      <LogText read={read} at={at} hasPods={pods.length > 1} hasContainers={container === everything} onFollow={setFollowing} />
      <CommandLine command={commandFor(at.cluster, commandOf(at, { container, isPrevious, onlyPod }), at.namespace)} />
    </div>
  );
}

const everything = '*';

function commandOf(
  { kind, name }: ObjectAt,
  { container, isPrevious, onlyPod }: { container: string; isPrevious: boolean; onlyPod: string },
) {
  const isPod = resourceOf(kind) === 'pods';
  const what = onlyPod !== '' ? onlyPod : isPod ? name : `${kind.kind.toLowerCase()}/${name}`;
  const many = !isPod && onlyPod === '' ? ' --all-pods' : '';
  const which = container === everything ? ' --all-containers' : container === '' ? '' : ` -c ${container}`;
  return `logs ${isPrevious ? '--previous' : '-f'} ${what}${many}${which}`;
}

interface LogTextProps {
  readonly read: ReadLogs;
  readonly at: ObjectAt;
  readonly hasPods: boolean;
  readonly hasContainers: boolean;
  onFollow(isAtEnd: boolean): void;
}

/** Lines, and what chooses among them. */
function LogText({ read, at, hasPods, hasContainers, onFollow }: LogTextProps) {
  const [words, setWords] = useUrlValue('q');
  const [chosen, setLevel] = useUrlValue('level');
  const [hasTimes, setTimes] = useUrlSwitch('times');
  const [isWrapped, setWrapped] = useUrlSwitch('wrap');
  const level = levels.find(one => one === chosen);
  const shown = useMemo(() => linesWith(read.lines, { words, level }), [read.lines, words, level]);
  const from = (one: LogLine) => [hasPods && one.pod, hasContainers && one.container].filter(Boolean).join('/');
  return (
    <>
      <div className="row">
        <LineFilter words={words} onChange={setWords} />
        <Choice name="How bad" value={level ?? ''} onChange={setLevel}>
          <option value="">All lines</option>
          <option value="warning">Warnings and errors</option>
          <option value="error">Errors</option>
        </Choice>
        <Switch title="Times" isOn={hasTimes} onChange={setTimes} />
        <Switch title="Wrap" isOn={isWrapped} onChange={setWrapped} />
        <button type="button" className="button" onClick={() => download(`${at.name}.log`, shown)}>
          <Icon name="download" />
          Download
        </button>
        <span className="muted" role="status">
          {countOf(shown.length, read)}
        </span>
      </div>
      <Lines
        name={`Log of ${at.name}`}
        lines={shown}
        keyOf={one => one.id}
        isWrapped={isWrapped}
        onFollow={onFollow}
        empty={
          <span className="muted">
            {read.lines.length > 0 ? 'No line has these words.' : read.state === 'opening' ? '' : 'Nothing was written yet.'}
          </span>
        }
        draw={one => (
          <span className={one.isNote ? 'log-note' : one.level === 'error' ? 'log-bad' : one.level === 'warning' ? 'log-warn' : ''}>
            {hasTimes && <span className="muted">{one.at.slice(0, 23).replace('T', ' ')} </span>}
            {(hasPods || hasContainers) && <span className="log-from">{from(one)} </span>}
            {marked(one.text, words)}
          </span>
        )}
      />
    </>
  );
}

const countOf = (shown: number, { lines, dropped }: ReadLogs): string =>
  `${shown === lines.length ? '' : `${shown.toLocaleString()} of `}${lines.length.toLocaleString()} ${lines.length === 1 ? 'line' : 'lines'}${dropped > 0 ? ', the newest' : ''}`;

/** A text with the words that were looked for marked. */
function marked(text: string, words: string) {
  if (words === '') return text;
  const parts = text.split(new RegExp(`(${RegExp.escape(words)})`, 'i'));
  return parts.map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part));
}

function download(name: string, lines: readonly LogLine[]): void {
  const text = lines.map(one => `${one.at} ${one.pod}/${one.container} ${one.text}\n`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(text, { type: 'text/plain' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  onChange(value: string): void;
  readonly children: React.ReactNode;
}

function Choice({ name, value, onChange, children }: ChoiceProps) {
  return (
    <select className="input choice" aria-label={name} value={value} onChange={event => onChange(event.target.value)}>
      {children}
    </select>
  );
}

function Switch({ title, isOn, onChange }: { title: string; isOn: boolean; onChange(isOn: boolean): void }) {
  return (
    <label className="row nowrap">
      <input type="checkbox" checked={isOn} onChange={event => onChange(event.target.checked)} />
      {title}
    </label>
  );
}

function useUrlSwitch(name: string): [boolean, (isOn: boolean) => void] {
  const [value, setValue] = useUrlValue(name);
  return [value === 'yes', isOn => setValue(isOn ? 'yes' : '')];
}

function usePods(object: KubeObject, { kind, cluster, namespace }: ObjectAt): { pods: readonly KubeObject[]; isLoading: boolean } {
  const isPod = resourceOf(kind) === 'pods';
  const labelSelector = isPod ? undefined : selectorOf(object);
  const { items, state } = useList(labelSelector === undefined ? undefined : { cluster, kind: kinds.pod, namespace, labelSelector });
  const pods = useMemo(() => (isPod ? [object] : items), [isPod, object, items]);
  return { pods, isLoading: labelSelector !== undefined && state === 'loading' };
}

/** Who reads what was written before sees it stand still; what comes meanwhile is there when he comes back to the end. */
function useLogs(
  pods: readonly KubeObject[],
  { cluster, container, isPrevious }: { cluster: string; container: string; isPrevious: boolean },
) {
  const logs = useMemo(
    () => new PodLogs({ cluster, container: container === everything ? '' : container, isPrevious }),
    [cluster, container, isPrevious],
  );
  useEffect(() => logs.follow(pods), [logs, pods]);
  useEffect(() => () => logs.rest(), [logs]);
  const newest = useSyncExternalStore(logs.subscribe, logs.get);
  const [still, setStill] = useState<ReadLogs>();
  return {
    read: still ? { ...newest, lines: still.lines } : newest,
    setFollowing: (isAtEnd: boolean) => setStill(isAtEnd ? undefined : newest),
  };
}
