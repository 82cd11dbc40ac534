import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure, type Figure } from './figure.ts';
import { idleCpuPercent, residentBytes } from './process-use.ts';
import type { BenchOptions, BenchResult } from './run.ts';
import { helmInstallTime, type HelmTime } from './sandbox/helm-install.ts';
import { startHubWithSandboxes } from './sandbox/hub-with-sandboxes.ts';
import { startRealKwokCluster } from './sandbox/real-kwok-cluster.ts';

interface Use {
  readonly mib: number;
  readonly cpuPercent: number;
  readonly startSeconds: number;
  /** Measured where the clusters are few. */
  readonly helm: HelmTime | undefined;
}

const helmRounds = 5;
const goals: Readonly<Record<number, { mib: number; cpuPercent: number }>> = { 1000: { mib: 1024, cpuPercent: 2 } };

/** What sandbox clusters cost that nobody uses, in a whole hub, beside one real cluster of the least that does the same. */
export async function benchSandbox({ quick, oursOnly, focus, log }: BenchOptions): Promise<BenchResult> {
  const sizes = (quick ? [10, 100] : [10, 100, 1000, 5000]).filter(size => focus.test(`${size} clusters`));
  const durations = quick ? { settleMs: 15_000, idleMs: 10_000 } : { settleMs: 60_000, idleMs: 60_000 };
  const real = oursOnly ? unknownUse : await measureReal(durations, log);
  const figures: Figure[] = [];
  const helmTimes: HelmTime[] = [];
  for (const size of sizes) {
    const use = await measureSandboxes(size, durations, log);
    if (use.helm) helmTimes.push(use.helm);
    figures.push(...figuresOf(size, use, real));
  }
  figures.push(...helmFigures(helmTimes, real.helm));
  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      'ours: `drover up --sandbox N`, the whole hub, every cluster ready and watched over by the hub, with one node and no workloads',
      'peer: one cluster of etcd, kube-apiserver 1.36.3, kube-controller-manager, kube-scheduler and kwok with one node',
      'ratio: how many times better ours is; a figure for N clusters is compared with N times the one of the peer',
    ],
    figures,
  };
}

function figuresOf(size: number, use: Use, real: Use): Figure[] {
  const clusters = `${size.toLocaleString('en')} clusters`;
  const goal = goals[size];
  return [
    figure({ name: `memory, ${clusters}`, unit: 'MiB', better: 'less', ours: use.mib, peer: real.mib * size, ...below(goal?.mib) }),
    figure({ name: `memory per cluster, ${clusters}`, unit: 'MiB', better: 'less', ours: use.mib / size, peer: real.mib }),
    figure({
      name: `idle CPU, ${clusters}`,
      unit: '% of a core',
      better: 'less',
      ours: use.cpuPercent,
      peer: real.cpuPercent * size,
      ...below(goal?.cpuPercent),
    }),
    figure({
      name: `idle CPU per cluster, ${clusters}`,
      unit: '% of a core',
      better: 'less',
      ours: use.cpuPercent / size,
      peer: real.cpuPercent,
    }),
    figure({ name: `start, ${clusters}`, unit: 's', better: 'less', ours: use.startSeconds, peer: real.startSeconds * size }),
  ];
}

function helmFigures(times: readonly HelmTime[], real: HelmTime | undefined): Figure[] {
  const [best] = times.toSorted((a, b) => a.seconds - b.seconds);
  if (!best) return [];
  const name = 'helm install --wait of the starter chart';
  return [
    figure({ name, unit: 's', better: 'less', atLeastTimes: 2, ours: best.seconds, peer: real?.seconds ?? NaN }),
    figure({ name: 'of which helm itself computes', unit: 's', better: 'less', ours: best.ownSeconds, peer: real?.ownSeconds ?? NaN }),
  ];
}

const unknownUse: Use = { mib: NaN, cpuPercent: NaN, startSeconds: NaN, helm: undefined };
const below = (limit: number | undefined) => (limit === undefined ? {} : { below: limit });

interface Durations {
  readonly settleMs: number;
  readonly idleMs: number;
}

async function measureSandboxes(size: number, { settleMs, idleMs }: Durations, log: (text: string) => void): Promise<Use> {
  await using hub = await startHubWithSandboxes(size, 60_000 + size * 200);
  const startSeconds = hub.startMs / 1000;
  log(`drover: ${size} clusters ready after ${startSeconds.toFixed(1)} s`);
  await sleep(settleMs);
  const cpuPercent = await idleCpuPercent([hub.pid], idleMs);
  const mib = residentBytes(hub.pid) / 2 ** 20;
  log(`drover: ${size} clusters in ${mib.toFixed(0)} MiB and ${cpuPercent.toFixed(2)} % of a core`);
  const helm = size <= 100 ? await helmInstallTime(hub.kubeconfigOf('sandbox-1'), helmRounds) : undefined;
  if (helm) log(`drover: helm install --wait in ${helm.seconds.toFixed(2)} s`);
  return { mib, cpuPercent, startSeconds, helm };
}

async function measureReal({ settleMs, idleMs }: Durations, log: (text: string) => void): Promise<Use> {
  await using cluster = await startRealKwokCluster();
  await sleep(settleMs);
  const cpuPercent = await idleCpuPercent(cluster.pids, idleMs);
  const mib = cluster.pids.reduce((sum, pid) => sum + residentBytes(pid), 0) / 2 ** 20;
  const helm = await helmInstallTime(cluster.kubeconfig, helmRounds);
  log(`real cluster: ${mib.toFixed(0)} MiB, ${cpuPercent.toFixed(1)} % of a core, helm install --wait in ${helm.seconds.toFixed(2)} s`);
  return { mib, cpuPercent, startSeconds: cluster.startMs / 1000, helm };
}
