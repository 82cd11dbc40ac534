import { cpus, totalmem } from 'node:os';
import { figure, type Figure } from './figure.ts';
import { startClusterHub, type ClusterHub } from './rancher-v3/cluster-hub.ts';
import type { BenchOptions, BenchResult } from './run.ts';

/** So many clusters somebody who is no administrator has a role in. */
const share = 100;

interface Timed {
  readonly name: string;
  /** Medians and worst, in milliseconds. */
  readonly p50: number;
  readonly worst: number;
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
      log(`${name}: ${timed.p50.toFixed(1)} ms, at most ${timed.worst.toFixed(1)} ms, ${timed.mib.toFixed(2)} MiB`);
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
  return [
    await time('first page, administrator', () => hub.list(hub.admin, '', Math.min(1000, all)), rounds, 100),
    await time('page of 100 by name, administrator', () => hub.list(hub.admin, 'limit=100&sort=name', 100), rounds, 100),
    await time('one by its name, administrator', () => hub.list(hub.admin, 'name=bench-7', 1), rounds, 100),
    await time('by labels, administrator', () => hub.list(hub.admin, 'labelSelector=tier%3Dt1&limit=1', 1), rounds, 100),
    await time('whole list, administrator', () => hub.list(hub.admin, 'limit=-1', all), rounds, 2000),
    await time('first page, member', () => hub.list(hub.member, '', share), rounds, 100),
  ];
}

async function time(name: string, ask: () => Promise<number>, rounds: number, below: number): Promise<Timed> {
  const times: number[] = [];
  let bytes = 0;
  // The first one is measured too: nothing was read before it.
  for (let i = 0; i < rounds; i++) {
    const startedAt = performance.now();
    bytes = await ask();
    times.push(performance.now() - startedAt);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { name, p50: sorted[Math.floor(sorted.length / 2)]!, worst: sorted.at(-1)!, mib: bytes / 2 ** 20, below };
}
