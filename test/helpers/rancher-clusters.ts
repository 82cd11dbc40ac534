import type { TestContext } from 'node:test';
import type { Agents } from '../../src/core/clusters/ask-member.ts';
import { runRancherClusters } from '../../src/dialects/rancher/clusters/run-clusters.ts';
import { rancherKinds } from '../../src/dialects/rancher/rancher-kinds.ts';
import { rancherObjects, type RancherObjects } from '../../src/dialects/rancher/rancher-objects.ts';
import type { RunningController } from '../../src/runtime/controller.ts';
import { startMemberWorld, type MemberWorld } from './member-world.ts';

export interface RancherClustersWorld extends MemberWorld {
  readonly objects: RancherObjects;
  readonly controllers: readonly RunningController[];
  /** Resolves when no controller has anything left to do. */
  idle(): Promise<void>;
  /** The agent of a cluster connects, or goes. */
  connect(clusterId: string, isConnected?: boolean): void;
}

/** A hub in memory with the controllers of clusters, those of Rancher included, and one member behind every name. */
export async function startRancherClusters(t: TestContext): Promise<RancherClustersWorld> {
  const states = new Map<string, boolean>();
  const listeners = new Set<(id: string) => void>();
  const agents: Agents = {
    state: id => (states.has(id) ? { isConnected: states.get(id)!, agent: { version: '0.0.0', isStrict: true } } : undefined),
    subscribe(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
  const world = await startMemberWorld(t, rancherKinds, { agents });
  const { clusters, signal } = world;
  const hub = world.hub.client;
  const onError = (what: string) => (error: unknown) => t.diagnostic(`${what}: ${String(error)}`);
  const facts = { serverUrl: 'https://hub.example.com', authorities: 'PEM', version: '1.2.3', agentImage: 'drover:1.2.3' };
  const objects = rancherObjects(hub, facts, { signal, onError });
  const controllers = runRancherClusters({ hub, objects, clusters, agents, signal, onError });
  return {
    ...world,
    objects,
    controllers,
    async idle() {
      for (const controller of [...controllers, ...controllers]) await controller.idle();
    },
    connect(clusterId, isConnected = true) {
      states.set(clusterId, isConnected);
      for (const listener of listeners) listener(clusterId);
    },
  };
}
