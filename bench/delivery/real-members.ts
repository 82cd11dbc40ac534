import path from 'node:path';
import { httpClient } from '../../src/client/http-client.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { droverFor } from '../../test/helpers/drover.ts';
import { startHub, type Hub } from '../../test/helpers/hub.ts';
import { startEtcd, type RealCluster } from '../../test/helpers/real-cluster.ts';
import { startRealMember } from '../../test/helpers/real-member.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';

export interface JoinedMember {
  readonly cluster: RealCluster;
  /** The namespace of its Works on the hub. */
  readonly id: string;
}

/** A hub as a process of its own and real kube-apiservers that have joined it. */
export interface HubWithMembers extends AsyncDisposable {
  readonly hub: Hub;
  readonly hubClient: KubeClient;
  readonly members: readonly JoinedMember[];
}

export function connect(kubeconfig: string): KubeClient {
  return httpClient(contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} })));
}

export async function startHubWithMembers(count: number, log: (text: string) => void): Promise<HubWithMembers> {
  await using starting = new AsyncDisposableStack();
  const scratch = starting.use(disposable(tempDir('bench-delivery')));
  const etcd = starting.use(await startEtcd());
  const clusters: RealCluster[] = [];
  for (let i = 0; i < count; i++) clusters.push(starting.use(await startRealMember(etcd, { prefix: `/member-${i}` })));
  log(`${count} kube-apiservers are up`);
  const hub = starting.use(await startHub({ dataDir: path.join(scratch.dir, 'data') }));
  const hubClient = starting.use(connect(hub.kubeconfig));
  const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
  const members: JoinedMember[] = [];
  for (const [i, cluster] of clusters.entries()) {
    await drover.expect(`join member-${i} --kubeconfig ${cluster.kubeconfig}`, { timeoutMs: 120_000 });
    const { status } = (await hub.request('GET', `/apis/drover.io/v1alpha1/clusters/member-${i}`)).json<{ status: { id: string } }>();
    members.push({ cluster, id: status.id });
  }
  log('all have joined');
  const kept = starting.move();
  return { hub, hubClient, members, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** What is disposed of at once, among what takes a while. */
function disposable<T extends Disposable>(value: T): T & AsyncDisposable {
  return Object.assign(value, { [Symbol.asyncDispose]: async () => value[Symbol.dispose]() });
}
