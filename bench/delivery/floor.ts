import { fork } from 'node:child_process';
import path from 'node:path';
import type { BareAnswer, BareTask, BareTime } from './bare-client.ts';

export interface Floor extends BareTime {
  readonly concurrency: number;
}

const concurrencies = [4, 8, 16, 32];

/** How quickly a bare client in a process of its own applies the same objects: the best of several concurrencies. */
export async function measureFloor(
  kubeconfigs: readonly string[],
  { count, rounds, log }: { readonly count: number; readonly rounds: number; log(text: string): void },
): Promise<Floor> {
  const child = fork(path.join(import.meta.dirname, 'bare-client.ts'), { execPath: process.execPath });
  const run = (task: BareTask): Promise<BareTime> =>
    new Promise((resolve, reject) => {
      child.once('message', (answer: BareAnswer) => ('error' in answer ? reject(new Error(answer.error)) : resolve(answer)));
      child.send(task);
    });
  try {
    const times: Floor[] = [];
    // The first requests of a server are slow and belong to nobody.
    await run({ kubeconfigs, namespace: 'floor-warm', count: Math.min(count, 100), concurrency: 8 });
    for (let round = 0; round < rounds; round++)
      for (const concurrency of concurrencies) {
        const time = await run({ kubeconfigs, namespace: `floor-${round}-${concurrency}`, count, concurrency });
        log(
          `floor: ${count} objects to ${kubeconfigs.length} members, ${concurrency} at a time on each: ${time.seconds.toFixed(2)} s, ${time.cpuSeconds.toFixed(2)} s of CPU`,
        );
        times.push({ ...time, concurrency });
      }
    return times.reduce((best, time) => (time.seconds < best.seconds ? time : best));
  } finally {
    child.disconnect();
  }
}
