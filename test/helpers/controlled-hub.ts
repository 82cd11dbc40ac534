import path from 'node:path';
import { startHub, type Hub } from './hub.ts';
import { startKwok } from './kwok.ts';
import { scratchDir, startControllerManager, startScheduler, type ControlledCluster } from './real-cluster.ts';

/** Everything a hub needs to make pods run: hand it to `missingRig`. */
export const controllerPrograms = ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const;

/** A hub with the real controller manager and scheduler, and kwok for nodes: what is created there becomes ready. */
export async function startControlledHub({ nodes = 2 } = {}): Promise<Hub> {
  const hub = await startHub({ extraArgs: ['--api-only'] });
  const attached = new AsyncDisposableStack();
  const dispose = hub[Symbol.asyncDispose].bind(hub);
  try {
    const { dir } = attached.use(scratchDir('controllers'));
    const pki = (name: string): string => path.join(hub.dir, 'pki', name);
    const cluster: ControlledCluster = {
      dir,
      kubeconfig: hub.kubeconfig,
      files: { caCertificate: pki('ca.crt'), caKey: pki('ca.key'), tokenKey: pki('sa.key') },
      attached,
    };
    const extraArgs = ['--kube-api-qps=200', '--kube-api-burst=400', '--concurrent-gc-syncs=5'];
    const started = await Promise.all([
      startControllerManager(cluster, { extraArgs }),
      startScheduler(cluster),
      startKwok({ kubeconfig: hub.kubeconfig, target: hub.target, dir, nodes }),
    ]);
    attached.use(started[2]);
  } catch (err) {
    await attached.disposeAsync();
    await dispose();
    throw err;
  }
  return {
    ...hub,
    async [Symbol.asyncDispose]() {
      await attached.disposeAsync();
      await dispose();
    },
  };
}
