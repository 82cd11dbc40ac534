import { useEffect, useMemo, useRef, useState } from 'react';
import { kinds, type KubeObject } from '../../data/kinds.ts';
import { ApiError } from '../../data/request.ts';
import { useList } from '../../data/use-list.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { drainNode, evict, refusalOf, type Eviction } from './drain-node.ts';
import { drainFlags, planDrain, type PodFate } from './drain-plan.ts';

const keyOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

/** What will be evicted from a node, what stays, and what a budget refuses; then how it goes. */
export function DrainDialog({ cluster, node, onClose }: { cluster: string; node: string; onClose(): void }) {
  const { items, state, error } = useList({ cluster, kind: kinds.pod, fieldSelector: `spec.nodeName=${node}` });
  const [options, setOptions] = useState({ hasForce: false, losesScratch: false });
  const plan = useMemo(() => planDrain(items, options), [items, options]);
  const draining = useDraining(cluster, node);
  const refusals = useRefusals(cluster, plan, draining.begun === undefined && state === 'live');
  const present = new Set(items.map(one => one.metadata.uid));
  const fates = draining.begun ?? plan;
  const evicted = fates.filter(one => one.fate === 'evict');
  const blocked = fates.filter(one => one.fate === 'blocked');
  const left = evicted.filter(({ pod }) => present.has(pod.metadata.uid)).length;
  const isDone = draining.begun !== undefined && left === 0;
  return (
    <Dialog title={`Drain ${node} of ${cluster}`} isWide onClose={onClose}>
      <p>
        Nothing new comes to the node, and the pods that can go elsewhere are asked to leave it. Budgets (PodDisruptionBudgets) are heeded:
        what one refuses is asked again every few seconds, until it is allowed or you stop.
      </p>
      {error && <ErrorNote error={error} about={`Pods of ${node}`} />}
      {state === 'loading' && <Loading />}
      {draining.begun === undefined && (
        <div className="row">
          <label className="row">
            <input
              type="checkbox"
              checked={options.losesScratch}
              onChange={event => setOptions({ ...options, losesScratch: event.target.checked })}
            />
            Also pods with scratch data
          </label>
          <label className="row">
            <input
              type="checkbox"
              checked={options.hasForce}
              onChange={event => setOptions({ ...options, hasForce: event.target.checked })}
            />
            Also pods that nobody makes again
          </label>
        </div>
      )}
      {state !== 'loading' && fates.length === 0 && <p className="muted">No pod is on it.</p>}
      {fates.length > 0 && (
        <SmallTable
          name={`Pods of ${node}`}
          heads={['Pod', 'What happens', 'Why']}
          rows={fates.map(one => {
            const isGone = !present.has(one.pod.metadata.uid);
            const eviction = draining.evictions.get(keyOf(one.pod));
            return [
              <bdi key="pod">{keyOf(one.pod)}</bdi>,
              <Fate key="fate" fate={one} isGone={isGone} eviction={eviction} refusal={refusals.get(keyOf(one.pod))} />,
              eviction?.message || refusals.get(keyOf(one.pod)) || one.why,
            ];
          })}
        />
      )}
      {draining.error !== undefined && <ErrorNote error={draining.error} about={node} />}
      {blocked.length > 0 && draining.begun === undefined && (
        <p className="note warn" role="status">
          {blocked.length === 1 ? 'One pod keeps' : `${blocked.length} pods keep`} the node from being empty: allow above what would be
          lost, or move them first.
        </p>
      )}
      {draining.begun && (
        <p role="status">
          {isDone
            ? 'The node is drained: nothing new comes to it until you uncordon it.'
            : `${left} of ${evicted.length} pods are still there.`}
        </p>
      )}
      <CommandLine command={`drover kubectl ${cluster} -- drain ${node} ${drainFlags(options)}`} />
      <div className="dialog-end">
        <button type="button" className="button" data-first onClick={onClose}>
          {draining.begun === undefined ? 'Cancel' : isDone ? 'Close' : 'Stop'}
        </button>
        {draining.begun === undefined && (
          <button
            type="button"
            className="button danger"
            disabled={state !== 'live' || blocked.length > 0}
            onClick={() => draining.begin(plan)}
          >
            Drain
          </button>
        )}
      </div>
    </Dialog>
  );
}

interface FateProps {
  readonly fate: PodFate;
  readonly isGone: boolean;
  readonly eviction: Eviction | undefined;
  readonly refusal: string | undefined;
}

function Fate({ fate: { fate }, isGone, eviction, refusal }: FateProps) {
  if (isGone) return <StateBadge tone="good" word="Gone" />;
  if (eviction?.state === 'failed') return <StateBadge tone="bad" word="Failed" />;
  if (eviction?.state === 'refused') return <StateBadge tone="warn" word="Refused, asked again" isBusy />;
  if (eviction) return <StateBadge tone="info" word="Leaving" isBusy />;
  if (fate === 'stay') return <StateBadge tone="idle" word="Stays" />;
  if (fate === 'blocked') return <StateBadge tone="bad" word="In the way" />;
  return refusal === undefined ? <StateBadge tone="info" word="Goes" /> : <StateBadge tone="warn" word="Refused for now" />;
}

function useDraining(cluster: string, node: string) {
  const [begun, setBegun] = useState<readonly PodFate[]>();
  const [evictions, setEvictions] = useState<ReadonlyMap<string, Eviction>>(new Map());
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  function begin(plan: readonly PodFate[]): void {
    const stop = (running.current = new AbortController());
    setBegun(plan);
    const pods = plan.filter(one => one.fate === 'evict').map(one => one.pod);
    const onChange = (pod: KubeObject, eviction: Eviction) => setEvictions(before => new Map(before).set(keyOf(pod), eviction));
    drainNode({ cluster, node, pods, signal: stop.signal, onChange }).catch((failure: unknown) => {
      setError(failure);
      setBegun(undefined);
    });
  }
  return { begun, evictions, error, begin };
}

const mostTried = 50;

/** Which evictions a budget would refuse now: the server is asked without doing it. */
function useRefusals(cluster: string, plan: readonly PodFate[], isWanted: boolean): ReadonlyMap<string, string> {
  const [refusals, setRefusals] = useState<ReadonlyMap<string, string>>(new Map());
  const pods = plan.filter(one => one.fate === 'evict').map(one => one.pod);
  const key = pods.map(one => one.metadata.uid).join();
  useEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    void Promise.all(
      pods.slice(0, mostTried).map(pod =>
        evict(cluster, pod, true).then(
          () => [],
          (error: unknown) => (error instanceof ApiError && error.code === 429 ? [[keyOf(pod), refusalOf(error)] as const] : []),
        ),
      ),
    ).then(found => isOver || setRefusals(new Map(found.flat())));
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key names the pods
  }, [cluster, key, isWanted]);
  return refusals;
}
