import { eventually } from '../helpers/eventually.ts';
import type { HttpTarget } from '../helpers/http-target.ts';
import { startKwok } from '../helpers/kwok.ts';
import { hubControllers, startControllerManager, startEtcd, startRealApiServer, startScheduler } from '../helpers/real-cluster.ts';
import { readyNode } from './ready-node.ts';

/** What a real kube-apiserver needs to be a cluster for the suite: hand it to `missingRig`. */
export const realClusterPrograms = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;

/** A real API server with controllers, scheduler and kwok's nodes; the kubeconfig of its administrator. */
export async function openRealCluster(stack: AsyncDisposableStack): Promise<string> {
  const cluster = await openRealApiServer(stack);
  await startControllerManager(cluster);
  await startScheduler(cluster);
  cluster.attached.use(await startKwok({ kubeconfig: cluster.kubeconfig, target: cluster.target, dir: cluster.dir, nodes: 3 }));
  await waitUntilSchedulable(cluster.target);
  return cluster.kubeconfig;
}

/** Nodes are ready a moment before the controllers take away the taint that said they were not. */
async function waitUntilSchedulable(target: HttpTarget): Promise<void> {
  const read = async () => (await target.request('GET', '/api/v1/nodes')).json<{ items: { spec?: { taints?: unknown[] } }[] }>().items;
  await eventually(read, nodes => nodes.every(({ spec }) => !spec?.taints?.length), { timeoutMs: 60_000, what: 'taints of nodes' });
}

/** A real API server with only the controllers that the hub has and nodes that run nothing: shows which tests need more than an API server. */
export async function openRealLikeHub(stack: AsyncDisposableStack): Promise<string> {
  const cluster = await openRealApiServer(stack);
  await startControllerManager(cluster, { controllers: hubControllers });
  await addReadyNodes(cluster.target);
  return cluster.kubeconfig;
}

async function openRealApiServer(stack: AsyncDisposableStack) {
  const etcd = stack.use(await startEtcd());
  return stack.use(await startRealApiServer({ etcd }));
}

async function addReadyNodes(target: HttpTarget): Promise<void> {
  for (const name of ['node-0', 'node-1', 'node-2']) {
    const made = await target.request('POST', '/api/v1/nodes', readyNode(name));
    if (made.code !== 201 && made.code !== 409) throw new Error(`cannot create node "${name}": ${made.text}`);
    await target.request('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: null } }, { 'Content-Type': 'application/merge-patch+json' });
  }
}
