import type { TestContext } from 'node:test';
import { Namespace } from '../../src/api/builtin-kinds.ts';
import { Cluster, clusterConditions } from '../../src/api/cluster.ts';
import { Content } from '../../src/api/content.ts';
import { newObject } from '../../src/api/define-kind.ts';
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
import { workInformer } from '../../src/core/works/run-works.ts';
import { runApprovals } from '../../src/dialects/workflows/approvals/approvals-controller.ts';
import { runClusterRuns } from '../../src/dialects/workflows/cluster-runs/cluster-runs-controller.ts';
import { freezeDesk } from '../../src/dialects/workflows/freezes/run-freezes.ts';
import { runGateDesk } from '../../src/dialects/workflows/gates/run-gate-desk.ts';
import { hubRunInputs } from '../../src/dialects/workflows/inputs/hub-run-inputs.ts';
import { DeployFreeze } from '../../src/dialects/workflows/kinds/deploy-freeze.ts';
import { GateTemplate } from '../../src/dialects/workflows/kinds/gate.ts';
import { eventHerald } from '../../src/dialects/workflows/notifications/event-herald.ts';
import { hubClusters } from '../../src/dialects/workflows/providers/hub-clusters.ts';
import { runWorkflowRuns } from '../../src/dialects/workflows/runs/run-controller.ts';
import { runSecrets } from '../../src/dialects/workflows/runs/run-secrets.ts';
import { workflowKinds } from '../../src/dialects/workflows/workflow-kinds.ts';
import { workflowObjects } from '../../src/dialects/workflows/workflow-objects.ts';
import { embeddedClient, hubUser } from '../../src/hub/embedded-client.ts';
import { createRenderPool } from '../../src/render/render-pool.ts';
import { informer } from '../../src/runtime/informer.ts';
import { observeFailpoints, type Failpoint } from '../../src/runtime/failpoint.ts';
import { createEgress } from '../../src/sources/egress.ts';
import { startMemoryHub } from './memory-hub.ts';
import { startSandboxCluster } from './sandbox-cluster.ts';
import { tempDir } from './temp-dir.ts';

export interface DyingHub {
  /** The API of the hub, which outlives everybody who works for it. */
  readonly api: KubeClient;
  member(name: string): KubeClient;
  /** The points that were passed since the last time somebody asked. */
  passed(): Failpoint[];
  /** Ends everything that works for the hub when so many points of workflows were passed from now on, as if the power were cut, and starts it again. */
  killAt(count: number): void;
  /** How often that was done. */
  readonly deaths: number;
}

const onError = () => () => {};

/** Everything of a hub that has to do with workflows, over an API in memory and sandbox clusters, and it can die at any point between two writes. */
export async function startDyingHub(t: TestContext, names: readonly string[]): Promise<DyingHub> {
  const { client: api } = await startMemoryHub(t, [Cluster, Work, Content, ...workflowKinds]);
  const members = new Map<string, KubeClient>();
  for (const name of names) {
    // A node takes 110 pods, and every place leaves some.
    const sandbox = await startSandboxCluster({ nodes: 12 });
    t.after(() => sandbox[Symbol.asyncDispose]());
    const transport = inProcessTransport(sandbox.sandbox.api.handlerAs(hubUser));
    members.set(name, embeddedClient({ cluster: sandbox.sandbox.api.cluster, transport }));
    const id = `c-m-${name.padStart(8, '0').slice(-8)}`;
    await api.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
    const spec = { id, connection: { mode: 'Direct' as const, server: `https://${name}.example` } };
    await api.create(Cluster, newObject(Cluster, { name, labels: { name } }, spec));
    const ready = {
      type: clusterConditions.ready,
      status: 'True' as const,
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await api.apply(Cluster, { metadata: { name }, status: { conditions: [ready] } }, { subresource: 'status' });
  }
  const scratch = tempDir('dying-hub');
  const renderer = createRenderPool({ size: 1 });
  let passed: Failpoint[] = [];
  let left = Infinity;
  let deaths = 0;
  let life = new AbortController();
  const observing = observeFailpoints(point => {
    if (!point.startsWith('workflows.')) return;
    // Whoever is still on the way when the power is cut comes no further.
    life.signal.throwIfAborted();
    passed.push(point);
    if (--left > 0) return;
    left = Infinity;
    deaths++;
    life.abort(new UnreachableError('the power is cut'));
    life = new AbortController();
    setImmediate(live);
    throw new UnreachableError('the power is cut');
  });
  t.after(async () => {
    life.abort(new UnreachableError('the test is over'));
    observing[Symbol.dispose]();
    await renderer[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });
  live();
  return {
    api,
    member: name => members.get(name)!,
    passed() {
      const points = passed;
      passed = [];
      return points;
    },
    killAt: count => void (left = count),
    get deaths() {
      return deaths;
    },
  };

  function live(): void {
    const { signal } = life;
    const hub = mortal(api, signal);
    const ways = new Map([...members].map(([name, client]) => [name, mortal(client, signal)]));
    const directory = {
      client: (name: string) => ways.get(name)!,
      subscribe: () => ({ [Symbol.dispose]() {} }),
      synced: Promise.resolve(),
    };
    const objects = workflowObjects(hub, { dataDir: scratch.dir, signal, onError });
    const { runs, clusterRuns, requests, logs } = objects;
    const clusters = informer(hub, Cluster, { signal, indexes: clusterIndexes });
    const works = workInformer(hub, { signal, onError });
    const egress = createEgress({ allow: [] });
    const providers = { list: () => Promise.resolve(hubClusters(clusters)) };
    const inputs = hubRunInputs({ hub, renderer, egress, providers, whyKeptAway: () => undefined });
    const herald = eventHerald({ hub, serverUrl: () => 'https://hub.example', signal });
    const secrets = runSecrets({ runs, inputs, logs, signal });
    const templates = informer(hub, GateTemplate, { signal });
    const gates = runGateDesk({ hub, requests, templates, works, members: directory, egress, signal });
    const freezes = freezeDesk(informer(hub, DeployFreeze, { signal }));
    const shared = { hub, runs, clusterRuns, clusters, works, requests, inputs, herald, logs, secrets, signal };
    runWorkflowRuns({ ...shared, gates, freezes });
    runClusterRuns({ ...shared, members: directory });
    runApprovals({ hub, requests, runs, signal });
    runWorkKeeper({ hub, works, clusters, revisions: workRevisions(hub, { signal, onError: onError() }), signal });
    runDeliverer({
      hub,
      works,
      members: hubMembers({ clusters, directory, signal }),
      renderer,
      readContent: (digest, stop) => readContent(hub, digest, { signal: stop }),
      reportEveryMs: 20,
      signal,
    });
  }
}

/** A client of somebody who may die: then it answers nothing any more. */
function mortal(client: KubeClient, life: AbortSignal): KubeClient {
  const guard =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      life.aborted ? Promise.reject(life.reason as Error) : call(...args);
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
