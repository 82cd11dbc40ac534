import { startKwok } from './kwok.ts';
import { startControllerManager, startRealApiServer, startScheduler, type Etcd, type RealCluster } from './real-cluster.ts';

/** Everything a member needs to make pods run: hand it to `missingRig`. */
export const runningMemberPrograms = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;

/** A real kube-apiserver with its controllers, a scheduler, and a node of kwok on which pods become ready and Jobs end. */
export async function startRunningMember(etcd: Etcd, options: { readonly audit?: boolean } = {}): Promise<RealCluster> {
  const member = await startRealApiServer({ etcd, ...options });
  try {
    const started = await Promise.all([
      startControllerManager(member, { extraArgs: ['--kube-api-qps=200', '--kube-api-burst=400'] }),
      startScheduler(member),
      startKwok({ kubeconfig: member.kubeconfig, target: member.target, dir: member.dir }),
    ]);
    member.attached.use(started[2]);
  } catch (error) {
    await member[Symbol.asyncDispose]();
    throw error;
  }
  return member;
}
