import type { Secret } from '../../api/builtin-kinds.ts';
import type { Cluster } from '../../api/cluster.ts';
import { fencedTransport } from '../../client/fenced-transport.ts';
import { httpClient } from '../../client/http-client.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { UnreachableError, type Transport } from '../../client/transport.ts';
import type { Informer } from '../../runtime/informer.ts';
import { clusterId } from './cluster-id.ts';
import { directWay } from './direct-way.ts';
import { guardedTransport } from './guarded-transport.ts';

export type ConnectionMode = Cluster['spec']['connection']['mode'];

/** A way to one member. */
export interface MemberWay {
  readonly transport: Transport;
  /** Default: the transport spoken to by HTTP. */
  readonly client?: KubeClient;
}

/** Opens ways of one mode. Must be quick: what takes time is done by the first request. */
export interface WayOpener {
  /** Throws UnreachableError when there is no way at the moment, any other error when something is missing. */
  open(cluster: Cluster): MemberWay;
}

/** The ways to all members, whatever they are. */
export interface MemberDirectory {
  /** Throws when there is no such cluster, or no way to it: UnreachableError where time may help. The same until the way changes. */
  transport(name: string): Transport;
  client(name: string): KubeClient;
  /** Says how clusters of a mode are reached; undefined takes it back. */
  register(mode: ConnectionMode, opener: WayOpener | undefined): void;
  /** The way to a cluster is another one now, for reasons that neither its object nor its Secret shows. */
  refresh(name: string): void;
  /** Hears the names of clusters to which the way has changed, come or gone. */
  subscribe(listener: (name: string) => void): Disposable;
  readonly synced: Promise<void>;
}

export interface MemberDirectoryOptions {
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  /** Of `credentialSecrets`. */
  readonly secrets: Informer<Secret>;
  readonly signal: AbortSignal;
  /** Whether members may be changed from here at the moment. They may when absent. */
  mayWrite?(): boolean;
}

interface OpenWay {
  readonly transport: Transport;
  readonly client: KubeClient;
}

interface Known {
  /** What the way depends on. */
  readonly fingerprint: string;
  way: OpenWay | undefined;
}

export function memberDirectory({ clusters, secrets, signal, mayWrite }: MemberDirectoryOptions): MemberDirectory {
  const openers = new Map<ConnectionMode, WayOpener>([['Direct', directWay(secrets)]]);
  const known = new Map<string, Known>();
  const listeners = new Set<(name: string) => void>();
  const subscriptions = [
    clusters.subscribe(({ object }) => look(object.metadata.name!)),
    secrets.subscribe(({ object }) => {
      for (const cluster of clusters.by('id', object.metadata.namespace ?? '')) look(cluster.metadata.name!);
    }),
  ];
  signal.addEventListener('abort', close, { once: true });
  const synced = Promise.all([clusters.synced, secrets.synced]).then(() => {});
  synced.catch(() => {});

  return {
    transport: name => way(name).transport,
    client: name => way(name).client,
    register(mode, opener) {
      if (opener) openers.set(mode, opener);
      else openers.delete(mode);
      for (const { metadata, spec } of clusters.list()) if (spec.connection.mode === mode) drop(metadata.name!);
    },
    refresh: drop,
    subscribe(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    synced,
  };

  function way(name: string): OpenWay {
    const cluster = clusters.get(name);
    if (!cluster) throw new UnreachableError(`there is no cluster "${name}"`);
    const fingerprint = fingerprintOf(cluster);
    let entry = known.get(name);
    if (entry?.fingerprint !== fingerprint) {
      discard(entry);
      known.set(name, (entry = { fingerprint, way: undefined }));
    }
    return (entry.way ??= open(cluster));
  }

  function open(cluster: Cluster): OpenWay {
    signal.throwIfAborted();
    const { mode } = cluster.spec.connection;
    const opener = openers.get(mode);
    if (!opener) throw new UnreachableError(`this hub has no clusters of mode ${mode}`);
    const opened = opener.open(cluster);
    const guarded = guardedTransport(opened.transport);
    const transport = mayWrite ? fencedTransport(guarded, mayWrite) : guarded;
    return { transport, client: opened.client ?? httpClient(transport) };
  }

  /** A changed way is opened anew by the next who needs it. */
  function look(name: string): void {
    const cluster = clusters.get(name);
    const entry = known.get(name);
    if (cluster && entry?.fingerprint === fingerprintOf(cluster)) return;
    known.delete(name);
    discard(entry);
    if (cluster) known.set(name, { fingerprint: fingerprintOf(cluster), way: undefined });
    tell(name);
  }

  function drop(name: string): void {
    const entry = known.get(name);
    known.delete(name);
    discard(entry);
    tell(name);
  }

  function discard(entry: Known | undefined): void {
    const open = entry?.way;
    if (!open) return;
    void Promise.allSettled([open.client[Symbol.asyncDispose](), open.transport[Symbol.asyncDispose]()]);
  }

  function fingerprintOf(cluster: Cluster): string {
    const { secretName } = cluster.spec.connection;
    const secret = secretName === undefined ? undefined : secrets.get(`${clusterId(cluster)}/${secretName}`);
    return JSON.stringify([cluster.metadata.uid, cluster.spec.connection, secret?.data]);
  }

  function tell(name: string): void {
    for (const listener of listeners) listener(name);
  }

  function close(): void {
    for (const one of subscriptions) one[Symbol.dispose]();
    for (const entry of known.values()) discard(entry);
    known.clear();
  }
}
