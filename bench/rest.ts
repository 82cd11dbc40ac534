import { cpus, loadavg, totalmem } from 'node:os';
import { delayBeforeLoad } from '../src/core/clusters/member-load.ts';
import { figure, type Figure } from './figure.ts';
import { measureLooks } from './rest/looks.ts';
import { measureRest } from './rest/herd-at-rest.ts';
import type { BenchOptions, BenchResult } from './run.ts';

const pods = 100;
/** For as many members as this a look is reckoned up. */
const manyMembers = 5000;

/** What members cost a hub that has nothing to do, each with pods that somebody else runs. */
export async function benchRest({ quick, sizes, focus, log }: BenchOptions): Promise<BenchResult> {
  const loadBefore = loadavg()[0]!;
  const figures: Figure[] = [];
  const alone = { better: 'less', peer: NaN } as const;
  if (focus.test('looks')) {
    const perSecond = (manyMembers * 1000) / delayBeforeLoad(pods, false);
    for (const { way, milliseconds, bytes } of await measureLooks({ pods, rounds: quick ? 200 : 1000, log })) {
      const those = `${pods} pods, ${way}`;
      figures.push(
        figure({ ...alone, name: `a look at ${those}`, unit: 'ms', ours: milliseconds }),
        figure({ ...alone, name: `a look at ${those}`, unit: 'kB', ours: bytes / 1000 }),
        figure({ ...alone, name: `looks at 5,000 members of ${those}`, unit: '% of a core', ours: (milliseconds * perSecond) / 10 }),
      );
    }
  }
  if (!focus.test('rest')) return { notes: notesOf(loadBefore), figures };
  for (const members of sizes.length > 0 ? sizes : [quick ? 200 : 1000]) {
    const use = await measureRest({ members, pods, settleMs: quick ? 20_000 : 45_000, log });
    const many = `${members.toLocaleString('en')} members`;
    figures.push(
      figure({ ...alone, name: `hub at rest, ${many}`, unit: '% of a core', ours: use.cpuPercent }),
      figure({ ...alone, name: `read by the hub, ${many}`, unit: 'kB/s', ours: use.readPerSecond / 1000 }),
      figure({ ...alone, name: `memory of the hub, ${many}`, unit: 'MiB', ours: use.residentBytes / 2 ** 20 }),
    );
  }
  return { notes: notesOf(loadBefore), figures };
}

function notesOf(loadBefore: number): string[] {
  return [
    `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
    `load of the machine ${loadBefore.toFixed(1)} before, ${loadavg()[0]!.toFixed(1)} after`,
    `rest: whole hub, embedded; as many whole agents in one other process, each before a member of ${pods} pods of 5 kB; no peer`,
    'looks: in the process of the benchmark, one after the other; the member is kube-apiserver 1.36.3, its agent a process of its own',
  ];
}
