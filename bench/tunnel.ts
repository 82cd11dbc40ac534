import { cpus, loadavg, totalmem } from 'node:os';
import { httpClient } from '../src/client/http-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../src/client/kubeconfig/kubeconfig.ts';
import { ConfigMap } from '../src/api/builtin-kinds.ts';
import { startEtcd, startRealApiServer } from '../test/helpers/real-cluster.ts';
import { figure, type Figure } from './figure.ts';
import type { BenchOptions, BenchResult } from './run.ts';
import { contest } from './tunnel/contest.ts';
import { herd } from './tunnel/herd.ts';

/** The tunnel against direct access to the same API server, and many agents on one hub. */
export async function benchTunnel({ quick, focus, log }: BenchOptions): Promise<BenchResult> {
  const loadBefore = loadavg()[0]!;
  const figures: Figure[] = [];
  if (focus.test('contest')) figures.push(...(await contestFigures(quick, log)));
  const agents = quick ? 100 : 1000;
  if (focus.test('agents')) figures.push(...(await herdFigures(agents, quick, log)));
  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      `load of the machine ${loadBefore.toFixed(1)} before, ${loadavg()[0]!.toFixed(1)} after`,
      'ours: through the tunnel (TLS, agent in a process of its own); peer: the same requests straight to the same kube-apiserver 1.36.3; in turns, best of 3',
      'agents: whole hub, killed and started again on its data; all agents in one other process; no peer',
    ],
    figures,
  };
}

async function contestFigures(quick: boolean, log: (text: string) => void): Promise<Figure[]> {
  await using etcd = await startEtcd();
  await using cluster = await startRealApiServer({ etcd, prefix: '/bench-tunnel' });
  await fill(cluster.kubeconfig);
  const { direct, tunnel } = await contest({
    kubeconfig: cluster.kubeconfig,
    serverPids: [cluster.pid, etcd.pid],
    smallPath: '/api/v1/namespaces/default/configmaps/bench-0',
    largePath: '/api/v1/namespaces/default/configmaps',
    durationMs: quick ? 1000 : 5000,
    rounds: 3,
    log,
  });
  return [
    figure({ name: 'get, 1 client, p50', unit: 'ms', better: 'less', ours: tunnel.p50Ms, peer: direct.p50Ms, within: 1 }),
    figure({ name: 'get, 1 client, p99', unit: 'ms', better: 'less', ours: tunnel.p99Ms, peer: direct.p99Ms }),
    figure({ name: 'get, 32 clients', unit: '1/s', better: 'more', ours: tunnel.rate, peer: direct.rate, atLeastTimes: 0.7 }),
    figure({
      name: 'processor time of all for a get, 32 clients',
      unit: 'µs',
      better: 'less',
      ours: tunnel.cpuMicroseconds,
      peer: direct.cpuMicroseconds,
    }),
    figure({
      name: 'lists of 2 MiB, 2 clients',
      unit: 'MiB/s',
      better: 'more',
      ours: tunnel.mebibytesPerSecond,
      peer: direct.mebibytesPerSecond,
    }),
  ];
}

async function fill(kubeconfig: string): Promise<void> {
  await using client = httpClient(contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} })));
  for (let i = 0; i < 100; i++) {
    const size = i === 0 ? 1024 : 20 * 1024;
    const metadata = { name: `bench-${i}`, namespace: 'default' };
    await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(size) } });
  }
}

async function herdFigures(agents: number, quick: boolean, log: (text: string) => void): Promise<Figure[]> {
  const { bytesPerAgent, cpuPercent, reconnectSeconds, bystander } = await herd({
    agents,
    settleMs: quick ? 5000 : 30_000,
    log,
  });
  const alone = { better: 'less', peer: NaN } as const;
  const many = `${agents.toLocaleString('en')} agents`;
  return [
    figure({ ...alone, name: `memory per idle agent, ${many}`, unit: 'KiB', ours: bytesPerAgent / 1024 }),
    figure({ ...alone, name: `idle hub, ${many}`, unit: '% of a core', ours: cpuPercent }),
    figure({ ...alone, name: `reconnection of ${many} after a restart`, unit: 's', ours: reconnectSeconds, below: 60 }),
    figure({
      ...alone,
      name: `failed calls of a bystander meanwhile, of ${bystander.calls}`,
      unit: 'calls',
      ours: bystander.failed,
      below: 1,
    }),
    figure({ ...alone, name: 'p99 of a bystander meanwhile', unit: 'ms', ours: bystander.p99Ms }),
  ];
}
