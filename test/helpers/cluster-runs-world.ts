import type { TestContext } from 'node:test';
import { Namespace } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { Content } from '../../src/api/content.ts';
import { newObject, type KindRef } from '../../src/api/define-kind.ts';
import type { KubeObject } from '../../src/api/object.ts';
import { Work } from '../../src/api/work.ts';
import { inProcessTransport } from '../../src/apiserver/http/in-process-transport.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { UnreachableError } from '../../src/client/transport.ts';
import { clusterIndexes } from '../../src/core/clusters/cluster-indexes.ts';
import { readContent } from '../../src/core/contents/read-content.ts';
import { runDeliverer } from '../../src/core/works/deliver-works.ts';
import { hubMembers } from '../../src/core/works/hub-members.ts';
import { workRevisions } from '../../src/core/works/keep-history.ts';
import { runWorkKeeper } from '../../src/core/works/keep-works.ts';
import { workIndexes } from '../../src/core/works/work-indexes.ts';
import { runClusterRuns } from '../../src/dialects/workflows/cluster-runs/cluster-runs-controller.ts';
import { clusterRunIndexes } from '../../src/dialects/workflows/runs/cluster-run-object.ts';
import type { RunInputs } from '../../src/dialects/workflows/inputs/run-inputs.ts';
import type { RunSnapshot } from '../../src/dialects/workflows/inputs/run-snapshot.ts';
import { ClusterRun, type Grant } from '../../src/dialects/workflows/kinds/cluster-run.ts';
import type { Workflow } from '../../src/dialects/workflows/kinds/workflow.ts';
import { WorkflowRun } from '../../src/dialects/workflows/kinds/workflow-run.ts';
import { runSecrets } from '../../src/dialects/workflows/runs/run-secrets.ts';
import { logFiles } from '../../src/dialects/workflows/logs/log-files.ts';
import type { RunHappening } from '../../src/dialects/workflows/notifications/herald.ts';
import { embeddedClient, hubUser } from '../../src/hub/embedded-client.ts';
import { createRenderPool } from '../../src/render/render-pool.ts';
import { informer } from '../../src/runtime/informer.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { eventually } from './eventually.ts';
import { startMemoryHub } from './memory-hub.ts';
import { startSandboxCluster } from './sandbox-cluster.ts';
import { tempDir } from './temp-dir.ts';

const namespace = 'shop';
const remote = { form: 'files', from: 'https://git.example/web.git', folder: 'manifests/0', commit: 'c0ffee' } as const;
export const targetNamespace = 'prod';

export interface GrantTerms {
  readonly with?: JsonObject;
  readonly isRollback?: boolean;
  readonly isLast?: boolean;
  readonly timeout?: string;
  readonly phase?: string;
}

/** A run on the clusters of the world, whose steps the test grants. */
export interface DrivenRun {
  readonly name: string;
  readonly uid: string;
  /** Grants a step to a cluster and waits until it is over. */
  step(cluster: string, type: string, terms?: GrantTerms): Promise<ClusterRun>;
  /** Grants it and waits for nothing. */
  grant(cluster: string, type: string, terms?: GrantTerms): Promise<number>;
  /** Waits until the step that was granted is over. */
  over(cluster: string, id: number): Promise<ClusterRun>;
  read(cluster: string): Promise<ClusterRun>;
  stand(cluster: string, state: 'Aborted' | 'Skipped'): Promise<void>;
  /** Of a unit of the last step of a cluster that has it. */
  log(cluster: string, unit: string): Promise<string[]>;
  setWaves(waves: readonly { name: string; phase: string; clusters: string[] }[]): Promise<void>;
}

export interface BeginOptions {
  readonly mode?: 'Apply' | 'Preview';
  readonly previewRef?: string;
}

export interface ClusterRunsWorld {
  readonly hub: KubeClient;
  /** The id of a cluster by its name. */
  id(cluster: string): string;
  member(cluster: string): KubeClient;
  /** What the service deploys from now on. */
  manifests: readonly KubeObject[];
  readonly files: Map<string, readonly KubeObject[]>;
  readonly happenings: RunHappening[];
  begin(spec: Partial<Workflow['spec']>, options?: BeginOptions): Promise<DrivenRun>;
  /** Ends controller and deliverer in the middle of whatever they do, and starts others. */
  restart(): void;
  cut(cluster: string): void;
  mend(cluster: string): void;
  get<T extends KubeObject>(cluster: string, kind: KindRef<T>, name: string): Promise<T | undefined>;
  work(cluster: string): Promise<Work | undefined>;
}

export interface WorldOptions {
  /** Default: east and west. */
  readonly clusters?: readonly string[];
  /** The clock of whoever executes steps. */
  now?(): Date;
}

/** A hub in memory that executes steps on sandbox clusters with controllers and pods. */
export async function startClusterRunsWorld(
  t: TestContext,
  { clusters: names = ['east', 'west'], now = () => new Date() }: WorldOptions = {},
): Promise<ClusterRunsWorld> {
  const { client: hub } = await startMemoryHub(t, [Cluster, Work, Content, WorkflowRun, ClusterRun]);
  const stop = new AbortController();
  const scratch = tempDir('cluster-runs');
  const members = new Map<string, KubeClient>();
  const isCut = new Set<string>();
  const listeners = new Set<(name: string) => void>();
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const idOf = (name: string) => `c-m-${name.padStart(8, '0').slice(-8)}`;
  for (const name of names) {
    const sandbox = await startSandboxCluster({ nodes: 1 });
    const transport = inProcessTransport(sandbox.sandbox.api.handlerAs(hubUser));
    const client = embeddedClient({ cluster: sandbox.sandbox.api.cluster, transport });
    members.set(name, client);
    t.after(() => sandbox[Symbol.asyncDispose]());
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: targetNamespace } });
    await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: idOf(name) } });
    const connection = { mode: 'Direct' as const, server: `https://${name}.example` };
    await hub.create(Cluster, newObject(Cluster, { name, labels: { site: name } }, { id: idOf(name), connection }));
  }
  const directory = {
    client(name: string) {
      if (isCut.has(name)) throw new UnreachableError(`the wire to "${name}" is cut`);
      return members.get(name)!;
    },
    subscribe(listener: (name: string) => void) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    synced: Promise.resolve(),
  };
  const { signal } = stop;
  const clusters = informer(hub, Cluster, { signal, indexes: clusterIndexes });
  const works = informer(hub, Work, { signal, indexes: workIndexes });
  const runs = informer(hub, WorkflowRun, { signal });
  const clusterRuns = informer(hub, ClusterRun, { signal, indexes: clusterRunIndexes });
  const revisions = workRevisions(hub, { signal, onError: () => {} });
  await Promise.all([clusters.synced, works.synced, runs.synced, clusterRuns.synced]);
  runWorkKeeper({ hub, works, clusters, revisions, signal });
  const renderer = createRenderPool({ size: 1 });
  const logs = logFiles({ dir: scratch.dir });
  const happenings: RunHappening[] = [];
  const files = new Map<string, readonly KubeObject[]>();
  const inputs: RunInputs = {
    takeSnapshot: () => Promise.reject(new Error('not here')),
    resolveClusters: () => Promise.reject(new Error('not here')),
    async renderFor(_snapshot, { filePaths, cluster }) {
      const found = filePaths ? filePaths.flatMap(path => files.get(path) ?? []) : world.manifests;
      if (found.some(({ metadata }) => metadata.name === 'unrenderable')) {
        return { fault: { failureType: 'ApplicationError', reason: 'RenderFailed', message: `cannot render for ${cluster.name}` } };
      }
      return { objects: found.map(obj => ({ ...obj, metadata: { namespace: targetNamespace, ...obj.metadata } })) };
    },
    readSecrets: () => Promise.resolve(new Map([['serviceVariable.token', 'first-token']])),
  };

  let parts = new AbortController();
  const start = () => {
    const mine = AbortSignal.any([signal, parts.signal]);
    const delivery = hubMembers({ clusters, directory, signal: mine });
    const read = (digest: string, stopped: AbortSignal) => readContent(hub, digest, { signal: stopped });
    runDeliverer({ hub, works, members: delivery, renderer, readContent: read, reportEveryMs: 20, signal: mine });
    const herald = { tell: (_run: unknown, told: readonly RunHappening[]) => Promise.resolve(void happenings.push(...told)) };
    const secrets = runSecrets({ runs, inputs, logs, signal: mine });
    runClusterRuns({ secrets, hub, runs, clusterRuns, works, clusters, members: directory, inputs, logs, herald, signal: mine, now });
  };
  start();
  t.after(async () => {
    stop.abort(new Error('the test is over'));
    await renderer[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });

  let lastRun = 0;
  const turn = (name: string, cut: boolean) => {
    if (cut) isCut.add(name);
    else isCut.delete(name);
    for (const listener of listeners) listener(name);
  };
  const world: ClusterRunsWorld = {
    hub,
    id: idOf,
    member: name => members.get(name)!,
    manifests: [],
    files,
    happenings,
    begin,
    restart() {
      parts.abort(new Error('killed'));
      parts = new AbortController();
      start();
    },
    cut: name => turn(name, true),
    mend: name => turn(name, false),
    get: (name, kind, object) => members.get(name)!.get(kind, { namespace: targetNamespace, name: object }),
    work: name => hub.get(Work, { namespace: idOf(name), name: `web.${targetNamespace}` }),
  };
  return world;

  async function begin(spec: Partial<Workflow['spec']>, { mode = 'Apply', previewRef }: BeginOptions = {}): Promise<DrivenRun> {
    const name = `run-${++lastRun}`;
    const made = await hub.create(
      WorkflowRun,
      newObject(WorkflowRun, { namespace, name }, { workflowRef: { name: 'web' }, mode, ...(previewRef !== undefined && { previewRef }) }),
    );
    const uid = made.metadata.uid!;
    const resolvedClusters = names.map(one => ({ id: idOf(one), name: one }));
    const setStatus = (waves: readonly { name: string; phase: string; clusters: string[] }[]) =>
      hub.apply(
        WorkflowRun,
        {
          metadata: { namespace, name },
          status: { snapshot: snapshotOf(spec) as unknown as JsonObject, resolvedClusters, waves } as never,
        },
        { subresource: 'status', fieldManager: 'test' },
      );
    await setStatus([{ name: 'all', phase: 'Running', clusters: names.map(idOf) }]);
    let lastId = 0;
    const key = (cluster: string) => ({ namespace, name: `${name}-${idOf(cluster)}` });
    const read = async (cluster: string) => (await hub.get(ClusterRun, key(cluster)))!;
    for (const cluster of names) {
      const about = { runRef: { name, uid }, cluster: { id: idOf(cluster), name: cluster }, wave: 'all' };
      await hub.create(ClusterRun, newObject(ClusterRun, key(cluster), about));
    }
    const over = (cluster: string, id: number) =>
      eventually(
        () => read(cluster),
        ({ status }) => status?.grant === id && status.step?.status !== 'Running',
        { timeoutMs: 60_000, what: `step ${id} of ${cluster}` },
      );
    const grant = async (cluster: string, type: string, terms: GrantTerms = {}) => {
      const id = ++lastId;
      const given: Grant = { id, phase: 'Deploy', group: 'Deploy', step: type, type, position: id, attempt: 1, ...terms };
      const { spec: present } = await read(cluster);
      await hub.patch(ClusterRun, key(cluster), {
        type: 'merge',
        body: { spec: { ...present, grant: { with: null, ...given }, standing: null } } as never,
      });
      return id;
    };
    return {
      name,
      uid,
      grant,
      over,
      read,
      step: async (cluster, type, terms) => over(cluster, await grant(cluster, type, terms)),
      async stand(cluster, state) {
        await hub.patch(ClusterRun, key(cluster), { type: 'merge', body: { spec: { standing: { state } } } as never });
      },
      async log(cluster, unit) {
        const found = (await Array.fromAsync(logs.read(uid, {}))).filter(one => one.cluster === idOf(cluster) && one.unit === unit);
        const last = Math.max(0, ...found.map(one => one.grant));
        return found.filter(one => one.grant === last).map(one => one.msg);
      },
      setWaves: async waves => void (await setStatus(waves)),
    };
  }
}

function snapshotOf(spec: Partial<Workflow['spec']>): RunSnapshot {
  return {
    app: { name: namespace, description: '' },
    workflow: { name: 'web', description: '', spec: { type: 'Rolling', ...spec } as unknown as JsonObject },
    environment: { name: 'prod', description: '', type: 'Prod', variables: [] },
    infrastructure: { name: 'prod', spec: {}, infraId: '0', namespace: targetNamespace, releaseName: 'web' },
    provider: { name: 'hub', type: 'Drover' },
    service: 'web',
    services: { web: { name: 'web', description: '', variables: [], skipVersioning: false, bundle: '', sources: [remote] } },
    variables: {},
  };
}
