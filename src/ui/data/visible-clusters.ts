import type { Cluster } from '../../api/cluster.ts';
import { percentOf } from '../../api/percent-of.ts';
import { ApiError, request } from './request.ts';
import { nothingListed, type Listed, type WatchedList } from './watched-list.ts';

/** A cluster as Rancher's API shows it to its members. */
interface ShownCluster {
  readonly id: string;
  readonly name: string;
  readonly state?: string;
  readonly transitioningMessage?: string;
  readonly created?: string;
  readonly labels?: Record<string, string>;
  readonly provider?: string;
  readonly nodeCount?: number;
  readonly version?: { readonly gitVersion?: string; readonly platform?: string };
  readonly allocatable?: Record<string, string>;
  readonly capacity?: Record<string, string>;
  readonly requested?: Record<string, string>;
  readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime?: string }[] | null;
}

const settleMs = 500;
const retryMs = 5000;

/** The clusters that somebody without rights on the hub may see. Changes are heard of, and then all of them are asked for again: they are few. */
export function visibleClusters(isWanted: (cluster: Cluster) => boolean): WatchedList {
  const listeners = new Set<() => void>();
  let shown = nothingListed;
  let socket: WebSocket | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  return {
    get: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) void look();
      if (!socket) follow();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        const ended = socket;
        socket = undefined;
        ended?.close();
      };
    },
  };

  function follow(): void {
    const opened = new WebSocket(`wss://${location.host}/v3/subscribe?resourceTypes=cluster`);
    socket = opened;
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      if (data.includes('"resource.')) lookSoon(settleMs);
    };
    opened.onclose = () => {
      if (socket !== opened) return;
      socket = undefined;
      tell({ ...shown, state: shown.asOf === 0 ? 'failed' : 'stale' });
      setTimeout(() => {
        if (listeners.size === 0 || socket) return;
        follow();
        lookSoon(0);
      }, retryMs);
    };
  }

  function lookSoon(ms: number): void {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      void look();
    }, ms);
  }

  async function look(): Promise<void> {
    try {
      const { data } = await request<{ data: ShownCluster[] }>('/v3/clusters?limit=-1');
      tell({ ...nothingListed, items: data.map(clusterOf).filter(isWanted), state: 'live', asOf: Date.now() });
    } catch (error) {
      tell({
        ...shown,
        state: shown.asOf === 0 ? 'failed' : 'stale',
        error: error instanceof ApiError ? error : new ApiError(0, String(error)),
      });
    }
  }

  function tell(next: Listed): void {
    shown = next;
    for (const listener of listeners) listener();
  }
}

const regionLabel = 'topology.kubernetes.io/region';

function percentsOf(requested: Record<string, string>, allocatable: Record<string, string> = {}): object {
  const percents = ['cpu', 'memory'].map(name => [name, percentOf(requested[name] ?? '0', allocatable[name])] as const);
  return Object.fromEntries(percents.filter(([, value]) => value !== undefined));
}

function clusterOf(one: ShownCluster): Cluster {
  const {
    id,
    name,
    state = '',
    transitioningMessage = '',
    created,
    labels,
    provider,
    nodeCount,
    version,
    allocatable,
    capacity,
    requested,
  } = one;
  const since = one.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  const isReady = state === 'active';
  const ready = {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'Answering' : state.charAt(0).toUpperCase() + state.slice(1),
    message: transitioningMessage || `The cluster is ${state}`,
    lastTransitionTime: since ?? created ?? '',
  } as const;
  return {
    apiVersion: 'drover.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, uid: id, ...(labels && { labels }), ...(created && { creationTimestamp: created }) },
    spec: { id, connection: { mode: 'Tunnel' } },
    status: {
      id,
      ...(version?.gitVersion && { version: version.gitVersion }),
      ...(version?.platform && { platform: version.platform }),
      ...(provider && { provider }),
      ...(nodeCount !== undefined && { nodes: { total: nodeCount, ready: nodeCount } }),
      ...(allocatable && { allocatable }),
      ...(capacity && { capacity }),
      ...(requested?.['pods'] !== undefined && { requested, requestedPercent: percentsOf(requested, allocatable) }),
      ...(labels?.[regionLabel] && { regions: [labels[regionLabel]] }),
      conditions: [ready],
    },
  } as Cluster;
}
