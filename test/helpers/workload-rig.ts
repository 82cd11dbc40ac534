import type { TestContext } from 'node:test';
import type { KubeObject } from '../../src/api/object.ts';
import type { Change } from '../../src/apiserver/cluster-api.ts';
import { garbageCollector } from '../../src/apiserver/controllers/garbage-collector.ts';
import type { ControllerDefinition } from '../../src/sandbox/controllers/controller-definition.ts';
import { startControllers } from '../../src/sandbox/controllers/start-controllers.ts';
import { startMemoryCluster, type MemoryCluster } from './memory-cluster.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };

export interface WorkloadRigOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** Whether a new pod becomes ready by itself. Default: every pod does. */
  becomesReady?(pod: KubeObject): boolean;
}

/** A cluster in memory with some controllers and pods that become ready at once; no scheduler and no nodes. */
export interface WorkloadRig {
  readonly cluster: MemoryCluster;
  /** Failures that controllers reported. */
  readonly problems: unknown[];
  /** The time that controllers read; it moves when asked to, beside the wall clock's own pace. */
  moveClock(seconds: number): void;
  apply(obj: object): Promise<KubeObject>;
  /** Changes an object by a merge patch. */
  change(kind: { apiVersion: string; kind: string }, name: string, body: object, subresource?: string): Promise<KubeObject>;
  get<T = KubeObject>(kind: { apiVersion: string; kind: string }, name: string): T | undefined;
  list<T = KubeObject>(kind: { apiVersion: string; kind: string }): T[];
  setReady(pod: string, isReady: boolean): Promise<void>;
  /** Waits until controllers and pods have nothing more to do. */
  settle(): Promise<void>;
  /** `reason: message` of every event about an object, oldest first. */
  events(name: string): string[];
}

export const rigNamespace = 'test';

export async function startWorkloadRig(
  t: TestContext,
  { controllers, becomesReady = () => true }: WorkloadRigOptions,
): Promise<WorkloadRig> {
  let shiftMs = 0;
  const now = () => new Date(Date.now() + shiftMs);
  const cluster = await startMemoryCluster({ namespaces: [rigNamespace], now });
  const problems: unknown[] = [];
  const onError = (_key: string, error: unknown) => void problems.push(error);
  const running = startControllers(cluster, { controllers, now, onError });
  const collector = garbageCollector(cluster, { now });
  let busy = 0;
  let seen = 0;
  const kubelet = cluster.subscribe(change => {
    seen++;
    if (change.type === 'ADDED' && change.resource.resource === 'pods') void run(change);
  });
  t.after(() => {
    for (const part of [kubelet, running, collector, cluster]) part[Symbol.dispose]();
  });

  async function run({ obj }: Change): Promise<void> {
    busy++;
    await writeReadiness(obj, becomesReady(obj)).catch(() => undefined);
    busy--;
  }

  async function writeReadiness(pod: KubeObject, isReady: boolean): Promise<void> {
    const at = `${now().toISOString().slice(0, 19)}Z`;
    const condition = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: at };
    const status = { startTime: at, ...(pod['status'] as object), phase: 'Running', conditions: [condition] };
    await cluster.update(pods, { ...pod, status }, { subresource: 'status' });
  }

  const targetOf = (name: string) => ({ namespace: rigNamespace, name });
  const rig: WorkloadRig = {
    cluster,
    problems,
    moveClock: seconds => void (shiftMs += seconds * 1000),
    apply: obj => cluster.put(inNamespace(obj as KubeObject)),
    change: (kind, name, body, subresource) =>
      cluster.patch(cluster.resourceOf(kind), targetOf(name), { type: 'merge', body: body as never }, subresource ? { subresource } : {}),
    get: (kind, name) => cluster.peek(cluster.resourceOf(kind), rigNamespace, name) as never,
    list: kind => cluster.peekAll(cluster.resourceOf(kind), rigNamespace) as never,
    async setReady(name, isReady) {
      const pod = cluster.peek(pods, rigNamespace, name);
      if (!pod) throw new Error(`no pod "${name}"`);
      await writeReadiness(pod, isReady);
    },
    async settle() {
      for (let last = -1; last !== seen || busy > 0;) {
        last = seen;
        await running.idle();
        await collector.idle();
        await new Promise(resolve => setImmediate(resolve));
      }
    },
    events: name =>
      cluster
        .peekAll({ group: '', resource: 'events' }, rigNamespace)
        .filter(event => (event['involvedObject'] as { name?: string }).name === name)
        .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(event => `${event['reason'] as string}: ${event['message'] as string}`),
  };
  return rig;
}

function inNamespace(obj: KubeObject): KubeObject {
  return { ...obj, metadata: { namespace: rigNamespace, ...obj.metadata } };
}

/** A pod template with these labels. */
export function podTemplate(labels: Record<string, string>, image = 'web:1'): { metadata: object; spec: object } {
  return { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } };
}
