import type { TestContext } from 'node:test';
import { Namespace } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { findCondition } from '../../src/api/conditions.ts';
import { Content, contentTypes } from '../../src/api/content.ts';
import { newObject, type SpecOf } from '../../src/api/define-kind.ts';
import { Work } from '../../src/api/work.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { UnreachableError } from '../../src/client/transport.ts';
import { clusterIndexes } from '../../src/core/clusters/cluster-indexes.ts';
import { putContent } from '../../src/core/contents/put-content.ts';
import { readContent } from '../../src/core/contents/read-content.ts';
import { runDeliverer } from '../../src/core/works/deliver-works.ts';
import { hubMembers } from '../../src/core/works/hub-members.ts';
import { workRevisions } from '../../src/core/works/keep-history.ts';
import { runWorkKeeper } from '../../src/core/works/keep-works.ts';
import { workIndexes } from '../../src/core/works/work-indexes.ts';
import { createRenderPool } from '../../src/render/render-pool.ts';
import { informer, type Informer } from '../../src/runtime/informer.ts';
import { packChart } from '../../src/sources/pack-chart.ts';
import { eventually } from './eventually.ts';
import { startMemoryHub } from './memory-hub.ts';
import { startMemoryServer, type MemoryServer } from './memory-server.ts';

type WorkSpec = SpecOf<typeof Work>;

export interface WorksWorld {
  readonly hub: MemoryServer;
  readonly member: MemoryServer;
  readonly works: Informer<Work>;
  /** Of the cluster "east" on the hub. */
  readonly namespace: string;
  /** Creates a Work, or changes the named parts of its spec. */
  put(name: string, spec: Partial<WorkSpec>): Promise<Work>;
  delete(name: string): Promise<void>;
  read(name: string): Promise<Work | undefined>;
  /** Waits until the condition Ready has this status and, where it is given, this reason, for the present spec. */
  ready(name: string, status?: 'True' | 'False' | 'Unknown', reason?: string): Promise<Work>;
  gone(name: string): Promise<unknown>;
  /** Ends the deliverer in the middle of whatever it does, and starts another. */
  restart(): Promise<void>;
  /** Cuts the wire to the member. */
  cut(): void;
  mend(): void;
  /** The member is reached in another way from now on; the old one goes on working for those who have it. */
  reroute(): void;
  /** A chart of these templates on the hub. Answers its digest. */
  chart(templates: Readonly<Record<string, string>>, version?: string): Promise<string>;
}

export const eastNamespace = 'c-m-0000east';

/** A hub in memory that delivers to one member in memory. */
export async function startWorksWorld(t: TestContext): Promise<WorksWorld> {
  const hub = await startMemoryHub(t, [Cluster, Work, Content]);
  const member = await startMemoryServer(t);
  const { client } = hub;
  const stop = new AbortController();
  const namespace = eastNamespace;
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const connection = { mode: 'Direct' as const, server: 'https://east.example' };
  await client.create(Cluster, newObject(Cluster, { name: 'east' }, { id: namespace, connection }));

  let isCut = false;
  const listeners = new Set<(name: string) => void>();
  let way = cuttable(member.client, () => isCut);
  const directory = {
    client: () => way,
    subscribe(listener: (name: string) => void) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    synced: Promise.resolve(),
  };
  const renderer = createRenderPool({ size: 1 });
  const clusters = informer(client, Cluster, { signal: stop.signal, indexes: clusterIndexes });
  const works = informer(client, Work, { signal: stop.signal, indexes: workIndexes });
  const revisions = workRevisions(client, { signal: stop.signal, onError: () => {} });
  await Promise.all([clusters.synced, works.synced]);
  runWorkKeeper({ hub: client, works, clusters, revisions, signal: stop.signal });
  let deliverer = new AbortController();
  const start = () => {
    const signal = AbortSignal.any([stop.signal, deliverer.signal]);
    const members = hubMembers({ clusters, directory, signal });
    runDeliverer({
      hub: client,
      works,
      members,
      renderer,
      readContent: (digest, signal) => readContent(client, digest, { signal }),
      reportEveryMs: 50,
      signal,
    });
  };
  start();
  t.after(async () => {
    stop.abort(new Error('the test is over'));
    await renderer[Symbol.asyncDispose]();
  });

  const read = (name: string) => client.get(Work, { namespace, name });
  const turn = (cut: boolean) => {
    isCut = cut;
    listeners.forEach(listener => listener('east'));
  };
  return {
    hub,
    member,
    works,
    namespace,
    read,
    async put(name, spec) {
      const present = await read(name);
      if (present) return client.patch(Work, { namespace, name }, { type: 'merge', body: { spec } as never });
      const release = { name: 'web', namespace: 'shop' };
      return client.create(Work, newObject(Work, { name, namespace }, { release, ...spec } as WorkSpec));
    },
    delete: async name => void (await client.delete(Work, { namespace, name })),
    ready: async (name, status = 'True', reason) => {
      const isRight = (work: Work | undefined) => {
        const found = findCondition(work, 'Ready');
        const isPresent = found?.observedGeneration === work?.metadata.generation;
        return isPresent && found?.status === status && (reason === undefined || found.reason === reason);
      };
      return (await eventually(() => read(name), isRight, { timeoutMs: 60_000, what: `Work "${name}"` }))!;
    },
    gone: name =>
      eventually(
        () => read(name),
        one => one === undefined,
        { timeoutMs: 60_000, what: `Work "${name}"` },
      ),
    async restart() {
      deliverer.abort(new Error('killed'));
      deliverer = new AbortController();
      start();
    },
    cut: () => turn(true),
    mend: () => turn(false),
    reroute() {
      way = cuttable(member.client, () => isCut);
      for (const listener of listeners) listener('east');
    },
    async chart(templates, version = '1.0.0') {
      const files = Object.entries(templates).map(([name, text]) => ({ name: `templates/${name}`, data: Buffer.from(text) }));
      const about = Buffer.from(`apiVersion: v2\nname: web\nversion: ${version}\n`);
      const { bytes } = packChart([{ name: 'Chart.yaml', data: about }, ...files], 'test');
      return putContent(client, bytes, { type: contentTypes.chart });
    },
  };
}

function cuttable(client: KubeClient, isCut: () => boolean): KubeClient {
  const guard =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      isCut() ? Promise.reject(new UnreachableError('the wire is cut')) : call(...args);
  return {
    ...client,
    get: guard(client.get) as KubeClient['get'],
    list: guard(client.list) as KubeClient['list'],
    create: guard(client.create) as KubeClient['create'],
    apply: guard(client.apply) as KubeClient['apply'],
    patch: guard(client.patch) as KubeClient['patch'],
    update: guard(client.update) as KubeClient['update'],
    delete: guard(client.delete),
    request: guard(client.request),
  };
}
