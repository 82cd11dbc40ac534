import { httpClient } from '../../src/client/http-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { readLoad } from '../../src/core/clusters/member-load.ts';
import { TunnelSessions } from '../../src/tunnel/tunnel-sessions.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { HttpTarget, readKubeconfig } from '../../test/helpers/http-target.ts';
import { startEtcd, startRealApiServer } from '../../test/helpers/real-cluster.ts';
import { cpuSeconds, readBytes } from '../process-use.ts';
import { connectAgent, id } from '../tunnel/contest.ts';
import { busyPod } from './busy-pod.ts';

export interface Look {
  readonly way: 'direct' | 'tunnel';
  /** Of the processor, in the process of the hub. */
  readonly milliseconds: number;
  readonly bytes: number;
}

export interface LooksOptions {
  readonly pods: number;
  readonly rounds: number;
  log(text: string): void;
}

/** What one look at the pods of a member costs a hub, straight and through an agent. The member is a real kube-apiserver. */
export async function measureLooks({ pods, rounds, log }: LooksOptions): Promise<Look[]> {
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcd());
  const { kubeconfig } = stack.use(await startRealApiServer({ etcd, prefix: '/bench-looks' }));
  const member = new HttpTarget(readKubeconfig(kubeconfig));
  stack.defer(() => member.close());
  await fill(member, pods);
  const sessions = stack.use(new TunnelSessions());
  await connectAgent(stack, sessions, kubeconfig);
  const ways = [
    ['direct', contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} }))],
    ['tunnel', sessions.transport(id)],
  ] as const;
  const looks: Look[] = [];
  for (const [way, transport] of ways) {
    const client = stack.use(httpClient(transport));
    const look = async () => {
      const { requested } = await readLoad(client, new AbortController().signal);
      if (requested['pods'] !== String(pods)) throw new Error(`${requested['pods']} pods were seen`);
    };
    for (let i = 0; i < rounds / 4; i++) await look();
    const [cpu, read] = [cpuSeconds([process.pid]), readBytes(process.pid)];
    for (let i = 0; i < rounds; i++) await look();
    const milliseconds = ((cpuSeconds([process.pid]) - cpu) * 1000) / rounds;
    looks.push({ way, milliseconds, bytes: (readBytes(process.pid) - read) / rounds });
    log(
      `${way}: ${milliseconds.toFixed(2)} ms and ${((readBytes(process.pid) - read) / rounds / 1000).toFixed(1)} kB for a look at ${pods} pods`,
    );
  }
  return looks;
}

async function fill(member: Pick<HttpTarget, 'request'>, pods: number): Promise<void> {
  const write = async (method: string, path: string, body: object) => {
    const { code, text } = await member.request(method, path, body);
    if (code > 201) throw new Error(`cannot write ${path}: ${text}`);
  };
  await write('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
  await write('POST', '/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'default' } });
  const indexes = Array.from({ length: pods }, (_, i) => i);
  await mapBounded(indexes, 16, async i => {
    const { metadata, ...rest } = busyPod(i);
    const { uid: _uid, resourceVersion: _rv, managedFields: _fields, ...given } = metadata;
    const path = '/api/v1/namespaces/shop/pods';
    await write('POST', path, { metadata: given, ...rest });
    await write('PUT', `${path}/${metadata.name}/status`, { metadata: given, ...rest });
  });
}
