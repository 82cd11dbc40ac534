import { cpus, totalmem } from 'node:os';
import { figure, type Figure } from './figure.ts';
import { cpuSeconds } from './process-use.ts';
import { startClusterHub, type ClusterHub } from './rancher-v3/cluster-hub.ts';
import type { BenchOptions, BenchResult } from './run.ts';

/** So many clusters somebody who is no administrator has a role in. */
const share = 100;

interface Timed {
  readonly name: string;
  /** Median and worst, in milliseconds. */
  readonly p50: number;
  readonly worst: number;
  /** Processor time of the hub for each request. */
  readonly cpuMs: number;
  readonly mib: number;
  readonly below?: number;
}

/** `/v3/clusters` of a hub with many clusters: what clients wait for. */
export async function benchRancherV3({ quick, sizes, log }: BenchOptions): Promise<BenchResult> {
  const wanted = sizes.length > 0 ? sizes : quick ? [500] : [5000];
  const figures: Figure[] = [];
  for (const size of wanted) {
    await using hub = await startClusterHub({ size, share, log });
    for (const timed of await measure(hub, quick ? 5 : 25)) {
      const name = `${timed.name}, ${size.toLocaleString('en')} clusters`;
      const goal = timed.below === undefined ? {} : { below: timed.below };
      figures.push(figure({ name: `${name}, p50`, unit: 'ms', ours: timed.p50, peer: NaN, better: 'less' }));
      figures.push(figure({ name: `${name}, worst`, unit: 'ms', ours: timed.worst, peer: NaN, better: 'less', ...goal }));
      figures.push(figure({ name: `${name}, processor time`, unit: 'ms', ours: timed.cpuMs, peer: NaN, better: 'less' }));
      log(
        `${name}: ${timed.p50.toFixed(1)} ms, at most ${timed.worst.toFixed(1)} ms, ${timed.cpuMs.toFixed(1)} ms of CPU, ${timed.mib.toFixed(2)} MiB`,
      );
    }
  }
  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      `hub: \`drover up\`, embedded, all its controllers running; clusters imported and waiting for their agents; the client is in another process and reads every answer to its end, over TLS, with a token`,
      `the member has a role in ${share} of the clusters. No peer: Rancher itself is not run here`,
    ],
    figures,
  };
}

async function measure(hub: ClusterHub, rounds: number): Promise<Timed[]> {
  // The hub itself is one of them.
  const all = hub.size + 1;
  const asked: readonly [name: string, bearer: string, query: string, expected: number, below: number][] = [
    ['first page, administrator', hub.admin, '', Math.min(1000, all), 100],
    ['page of 100 by name, administrator', hub.admin, 'limit=100&sort=name', 100, 100],
    ['one by its name, administrator', hub.admin, 'name=bench-7', 1, 100],
    ['by labels, administrator', hub.admin, 'labelSelector=tier%3Dt1&limit=1', 1, 100],
    ['whole list, administrator', hub.admin, 'limit=-1', all, 2000],
    ['first page, member', hub.member, '', share, 100],
  ];
  const timed: Timed[] = [];
  for (const [name, bearer, query, expected, below] of asked)
    timed.push({ name, below, ...(await time(hub.pid, () => hub.list(bearer, query, expected), rounds)) });
  return timed;
}

async function time(pid: number, ask: () => Promise<number>, rounds: number): Promise<Omit<Timed, 'name'>> {
  const times: number[] = [];
  const cpuBefore = cpuSeconds([pid]);
  let bytes = 0;
  // The first one is measured too: nothing was read before it.
  for (let i = 0; i < rounds; i++) {
    const startedAt = performance.now();
    bytes = await ask();
    times.push(performance.now() - startedAt);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const cpuMs = ((cpuSeconds([pid]) - cpuBefore) / rounds) * 1000;
  return { p50: sorted[Math.floor(sorted.length / 2)]!, worst: sorted.at(-1)!, cpuMs, mib: bytes / 2 ** 20 };
}
