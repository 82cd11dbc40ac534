import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ours, peer, type Contender } from './contenders.ts';
import { figure, type FigureInput } from './figure.ts';
import type { LoadTask } from './load/generator.ts';
import { startGenerator, type Generator } from './load/start-generator.ts';
import type { BenchOptions, BenchResult } from './run.ts';

type FigureFacts = Omit<FigureInput, 'ours' | 'peer'>;
interface Measure {
  readonly facts: FigureFacts;
  task(run: number): LoadTask;
}

const rounds = 3;

/** Ours against kube-apiserver and etcd: the same work from the same generator, one after the other, both waiting for the disk. */
export async function benchApiServer({ quick, oursOnly, focus, log }: BenchOptions): Promise<BenchResult> {
  const scale = quick ? { durationMs: 1000, all: 20_000, events: 500 } : { durationMs: 3000, all: 100_000, events: 2000 };
  const measures = measuresOf(scale).filter(m => focus.test(m.facts.name));
  const wantsAll = endings(scale.all).some(facts => focus.test(facts.name));
  const contest = (name: string, contender: () => Contender): Promise<Map<string, number>> =>
    measure(contender, { measures, all: wantsAll ? scale.all : 0, log: text => log(`${name}: ${text}`) });
  const peerValues = oursOnly ? new Map<string, number>() : await contest('kube-apiserver', peer);
  const ourValues = await contest('drover', ours);

  const facts = [...measures.map(m => m.facts), ...(wantsAll ? endings(scale.all) : [])];
  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      'peer: kube-apiserver 1.36.3 + etcd 3.6.8 with fsync; ours: SQLite WAL with synchronous=FULL. Objects: ConfigMaps of 1 KiB',
      'server and load generator share the cores; best of 3 runs each; ratio: how many times better ours is',
    ],
    figures: facts.map(f => figure({ ...f, ours: ourValues.get(f.name) ?? NaN, peer: peerValues.get(f.name) ?? NaN })),
  };
}

function measuresOf({ durationMs, events }: { durationMs: number; events: number }): Measure[] {
  const rate = (operation: 'create' | 'update' | 'apply' | 'get', clients: number, atLeastTimes?: number): Measure => ({
    facts: {
      name: `${operation}, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
      unit: '1/s',
      better: 'more',
      ...(atLeastTimes !== undefined && { atLeastTimes }),
    },
    task: run => ({ type: 'rate', operation, clients, durationMs, objects: 2000, run: clients * 1000 + run }),
  });
  const list = (name: string, limit: number, atLeastTimes?: number): Measure => ({
    facts: { name, unit: 'ms', better: 'less', ...(atLeastTimes !== undefined && { atLeastTimes }) },
    task: () => ({ type: 'list', namespace: 'bench-list', limit, expected: 10_000 }),
  });
  return [
    rate('create', 1),
    rate('create', 32, 5),
    rate('update', 1),
    rate('update', 32, 5),
    rate('apply', 32, 5),
    rate('get', 1),
    rate('get', 32, 4),
    list('list of 10,000', 0, 5),
    list('list of 10,000 in pages of 500', 500),
    {
      facts: { name: 'watch events to 100 watchers', unit: '1/s', better: 'more', atLeastTimes: 5 },
      task: () => ({ type: 'watch', watchers: 100, clients: 32, events, objects: 2000 }),
    },
  ];
}

function endings(all: number): FigureFacts[] {
  const objects = `${all.toLocaleString('en')} objects`;
  return [
    { name: 'start, empty', unit: 's', better: 'less', below: 0.5 },
    { name: `start, ${objects}`, unit: 's', better: 'less', below: 5 },
    { name: `memory, ${objects}`, unit: 'MiB', better: 'less', atLeastTimes: 3 },
    { name: `fill with ${objects}, 64 clients`, unit: 's', better: 'less' },
  ];
}

interface Plan {
  readonly measures: readonly Measure[];
  /** How many objects there are in the end; 0 leaves out everything that needs them. */
  readonly all: number;
  log(text: string): void;
}

async function measure(newContender: () => Contender, { measures, all, log }: Plan): Promise<Map<string, number>> {
  const values = new Map<string, number>();
  const [startEmpty, startFull, memory, fillTime] = endings(all).map(facts => facts.name) as [string, string, string, string];
  {
    using contender = newContender();
    await using running = await contender.start();
    values.set(startEmpty, running.startMs / 1000);
    log(`ready after ${(running.startMs / 1000).toFixed(2)} s`);
    using generator = startGenerator(running.credentials);
    await generator.run({ type: 'fill', namespace: 'bench', clients: 32, from: 0, to: 2000 });
    if (measures.some(m => m.facts.name.startsWith('list'))) {
      await generator.run({ type: 'fill', namespace: 'bench-list', clients: 32, from: 0, to: 10_000 });
    }
    for (const { facts, task } of measures) {
      const value = await best(generator, facts, task);
      values.set(facts.name, value);
      log(`${facts.name}: ${value.toFixed(1)} ${facts.unit}`);
    }
  }
  if (all === 0) return values;

  // On fresh data, so that both hold the same objects, however many they made above.
  using contender = newContender();
  {
    await using running = await contender.start();
    values.set(startEmpty, Math.min(values.get(startEmpty)!, running.startMs / 1000));
    using generator = startGenerator(running.credentials);
    const seconds = await generator.run({ type: 'fill', namespace: 'bench-all', clients: 64, from: 0, to: all });
    values.set(fillTime, seconds);
    await sleep(30_000);
    values.set(memory, running.residentBytes() / 2 ** 20);
    log(`${memory}: ${values.get(memory)!.toFixed(0)} MiB, filled in ${seconds.toFixed(0)} s`);
  }
  await using running = await contender.start();
  values.set(startFull, running.startMs / 1000);
  log(`${startFull}: ${(running.startMs / 1000).toFixed(2)} s`);
  return values;
}

async function best(generator: Generator, { better }: FigureFacts, task: Measure['task']): Promise<number> {
  const results: number[] = [];
  for (let run = 0; run < rounds; run++) results.push(await generator.run(task(run)));
  return better === 'more' ? Math.max(...results) : Math.min(...results);
}
