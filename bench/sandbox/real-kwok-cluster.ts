import { startKwok } from '../../test/helpers/kwok.ts';
import { startControllerManager, startEtcd, startRealApiServer, startScheduler } from '../../test/helpers/real-cluster.ts';

export interface RealKwokCluster extends AsyncDisposable {
  readonly pids: readonly number[];
  readonly kubeconfig: string;
  readonly startMs: number;
}

/** kube-apiserver, etcd, kube-controller-manager, kube-scheduler and kwok with one node: the least that does what a sandbox does. */
export async function startRealKwokCluster(): Promise<RealKwokCluster> {
  const startedAt = performance.now();
  await using running = new AsyncDisposableStack();
  const etcd = running.use(await startEtcd());
  const cluster = running.use(await startRealApiServer({ etcd }));
  const managers = await Promise.all([startControllerManager(cluster), startScheduler(cluster)]);
  const kwok = await startKwok({ kubeconfig: cluster.kubeconfig, target: cluster.target, dir: cluster.dir, nodes: 1 });
  cluster.attached.use(kwok);
  const kept = running.move();
  return {
    pids: [etcd, cluster, ...managers, kwok].map(({ pid }) => pid),
    kubeconfig: cluster.kubeconfig,
    startMs: performance.now() - startedAt,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
