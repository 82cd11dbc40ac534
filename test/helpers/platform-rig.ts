import type { TestContext } from 'node:test';
import type { KubeObject } from '../../src/api/object.ts';
import { garbageCollector } from '../../src/apiserver/controllers/garbage-collector.ts';
import { startControllers } from '../../src/sandbox/controllers/start-controllers.ts';
import { sandboxNode } from '../../src/sandbox/nodes/sandbox-node.ts';
import { startMemoryCluster, type MemoryCluster } from './memory-cluster.ts';

export const rigNamespace = 'test';

/** A cluster in memory with nodes and everything that plays a control plane and kubelets, on a clock that can be moved. */
export interface PlatformRig {
  readonly cluster: MemoryCluster;
  /** Failures that controllers reported. */
  readonly problems: unknown[];
  /** The time that controllers read; it goes on at its own pace from there. What waits for it is looked at when something else changes. */
  moveClock(seconds: number): void;
  apply(obj: object): Promise<KubeObject>;
  change(kind: { apiVersion: string; kind: string }, name: string, body: object, subresource?: string): Promise<KubeObject>;
  get<T = KubeObject>(kind: { apiVersion: string; kind: string }, name: string): T | undefined;
  list<T = KubeObject>(kind: { apiVersion: string; kind: string }): T[];
  /** `reason: message` of every event about an object, oldest first. */
  events(name: string): string[];
  settle(): Promise<void>;
}

export async function startPlatformRig(t: TestContext, { nodes = 2 } = {}): Promise<PlatformRig> {
  let shiftMs = 0;
  const now = () => new Date(Date.now() + shiftMs);
  const cluster = await startMemoryCluster({ namespaces: [rigNamespace, 'kube-node-lease'], now });
  const problems: unknown[] = [];
  const running = startControllers(cluster, { now, onError: (_key, error) => void problems.push(error) });
  const collector = garbageCollector(cluster, { now });
  t.after(() => {
    for (const part of [running, collector, cluster]) part[Symbol.dispose]();
  });
  for (let n = 0; n < nodes; n++) await cluster.add(sandboxNode(`node-${n}`, n));

  const scopeOf = (kind: { apiVersion: string; kind: string }) => (cluster.resourceOf(kind).namespaced ? rigNamespace : '');
  return {
    cluster,
    problems,
    moveClock: seconds => void (shiftMs += seconds * 1000),
    apply(given) {
      const obj = given as KubeObject;
      const namespace = scopeOf(obj);
      return cluster.put({ ...obj, metadata: { ...(namespace !== '' && { namespace }), ...obj.metadata } });
    },
    change: (kind, name, body, subresource) =>
      cluster.patch(
        cluster.resourceOf(kind),
        { namespace: scopeOf(kind), name },
        { type: 'merge', body: body as never },
        subresource ? { subresource } : {},
      ),
    get: (kind, name) => cluster.peek(cluster.resourceOf(kind), scopeOf(kind), name) as never,
    list: kind => cluster.peekAll(cluster.resourceOf(kind), scopeOf(kind) || undefined) as never,
    events: name =>
      cluster
        .peekAll({ group: '', resource: 'events' })
        .filter(event => (event['involvedObject'] as { name?: string }).name === name)
        .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(event => `${event['reason'] as string}: ${event['message'] as string}`),
    async settle() {
      let seen: number;
      do {
        seen = cluster.store.revision;
        await running.idle();
        await collector.idle();
        await new Promise(resolve => setImmediate(resolve));
      } while (seen !== cluster.store.revision);
    },
  };
}
