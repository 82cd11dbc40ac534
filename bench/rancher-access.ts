import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { mapBounded } from '../src/util/map-bounded.ts';
import { figure, type Figure } from './figure.ts';
import { OutOfTime, timeLimit, type TimeLimit } from './mcs/time-limit.ts';
import { cpuSeconds, residentBytes } from './process-use.ts';
import { bind, startTenancy, unbind, untilBound, userName, type Tenancy } from './rancher-access/tenancy.ts';
import type { BenchOptions, BenchResult } from './run.ts';

interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly writes: number;
}

const limitMs = 20 * 60_000;
const bindingsAtOnce = 32;
const pauseMs = 1_000;
const warmUps = 3;

/** As far as it came: what is not there was not done in time. */
interface Measured {
  all?: Cost;
  mib?: number;
  changes?: Changes;
  /** Of one changed binding, without what is used at rest. */
  changeCpuMs?: number;
}

/** Bindings of many people in many projects on many clusters, until all are on the members, and what one changed binding costs then. */
export async function benchRancherAccess({ quick, sizes, log }: BenchOptions): Promise<BenchResult> {
  const size = sizes[0] ?? (quick ? 10 : 100);
  const people = sizes[1] ?? (quick ? 50 : 500);
  const measured: Measured = {};
  const unfinished: string[] = [];
  try {
    await measure(measured, { size, people, quick, log });
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    unfinished.push(error.message);
  }
  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      `hub: \`drover up\`, embedded, with ${size} sandbox clusters in its process; one project with one namespace on each; ${people} people in every project: ${size * people} ProjectRoleTemplateBindings, written ${bindingsAtOnce} at once`,
      'processor time is that of the hub and all its sandboxes; for a changed binding without what they use at rest. No peer: Rancher is not run here',
      ...unfinished,
    ],
    figures: figuresOf(measured, size * people),
  };
}

interface Extent {
  readonly size: number;
  readonly people: number;
  readonly quick: boolean;
  log(text: string): void;
}

async function measure(measured: Measured, { size, people, quick, log }: Extent): Promise<void> {
  const rounds = quick ? 5 : 20;
  const limit = timeLimit(limitMs);
  await using tenancy = await startTenancy(size, limit, log);
  const all = (measured.all = await bindAll(tenancy, people, limit, log));
  log(`${size * people} bindings on ${size} members after ${all.seconds.toFixed(1)} s, ${all.cpuSeconds.toFixed(1)} s of CPU`);
  await sleep(quick ? 3_000 : 15_000);
  measured.mib = residentBytes(tenancy.pid) / 2 ** 20;
  const restCpuPerMs = await restOf(tenancy, quick ? 3_000 : 10_000);
  await changeOne(tenancy, { first: 0, rounds: warmUps, people }, limit);
  const changes = await changeOne(tenancy, { first: warmUps, rounds, people }, limit);
  measured.changes = changes;
  measured.changeCpuMs = (changes.cpuMs - restCpuPerMs * changes.elapsedMs) / rounds;
}

function figuresOf({ all, mib, changes, changeCpuMs }: Measured, bindings: number): Figure[] {
  const line = (name: string, unit: string, ours: number | undefined, below?: number): Figure[] =>
    ours === undefined ? [] : [figure({ name, unit, ours, peer: NaN, better: 'less', ...(below !== undefined && { below }) })];
  return [
    ...line('all bindings on the members', 's', all?.seconds),
    ...line('processor time for each binding', 'ms', all && (all.cpuSeconds / bindings) * 1000),
    ...line('writes to the hub for each binding', 'writes', all && all.writes / bindings),
    ...line('memory afterwards', 'MiB', mib),
    ...line('changed binding: on the member, p50', 'ms', changes && median(changes.toMember), 1000),
    ...line('changed binding: on the member, at most', 'ms', changes && Math.max(...changes.toMember), 1000),
    ...line('changed binding: processor time', 'ms', changeCpuMs),
    ...line('changed binding: writes to the hub', 'writes', changes && changes.writes / changes.toMember.length),
  ];
}

async function bindAll(tenancy: Tenancy, people: number, limit: TimeLimit, log: (text: string) => void): Promise<Cost> {
  const { pid, projects } = tenancy;
  using watching = new DisposableStack();
  const seen = projects.map(project => watching.use(untilBound(project, people)));
  const before = { cpu: cpuSeconds([pid]), revision: await tenancy.revision() };
  const startedAt = performance.now();
  let written = 0;
  const pairs = Array.from({ length: people }, (_, i) => projects.map(project => [project, userName(i)] as const)).flat();
  await limit.wait(
    mapBounded(pairs, bindingsAtOnce, async ([project, user]) => {
      await bind(tenancy, project, user);
      written++;
      if (written % 5_000 === 0) log(`${written} bindings are written, ${cpuSeconds([pid]).toFixed(0)} s of CPU`);
    }),
    () => `${written} of ${pairs.length} bindings were written`,
  );
  let done = 0;
  const all = Promise.all(seen.map(one => one.atMs.then(atMs => (done++, atMs))));
  const endedAt = Math.max(...(await limit.wait(all, () => `${done} of ${projects.length} members had all bindings`)));
  return {
    seconds: (endedAt - startedAt) / 1000,
    cpuSeconds: cpuSeconds([pid]) - before.cpu,
    writes: (await tenancy.revision()) - before.revision,
  };
}

interface Changes {
  readonly toMember: readonly number[];
  readonly cpuMs: number;
  readonly elapsedMs: number;
  readonly writes: number;
}

/** One person leaves a project. */
async function changeOne(
  tenancy: Tenancy,
  { first, rounds, people }: { first: number; rounds: number; people: number },
  limit: TimeLimit,
): Promise<Changes> {
  const { pid, projects } = tenancy;
  const toMember: number[] = [];
  const before = { cpu: cpuSeconds([pid]), revision: await tenancy.revision(), atMs: performance.now() };
  for (let round = first; round < first + rounds; round++) {
    const project = projects[round % projects.length]!;
    const left = people - 1 - Math.floor(round / projects.length);
    using applied = untilBound(project, left);
    await applied.isWatching;
    const startedAt = performance.now();
    await unbind(tenancy, project, userName(left));
    toMember.push((await limit.wait(applied.atMs, () => `a changed binding was not on ${project.cluster}`)) - startedAt);
    await sleep(pauseMs);
  }
  return {
    toMember,
    cpuMs: (cpuSeconds([pid]) - before.cpu) * 1000,
    elapsedMs: performance.now() - before.atMs,
    writes: (await tenancy.revision()) - before.revision,
  };
}

async function restOf({ pid }: Tenancy, windowMs: number): Promise<number> {
  const uses: number[] = [];
  for (let i = 0; i < 3; i++) {
    const before = cpuSeconds([pid]);
    await sleep(windowMs);
    uses.push(((cpuSeconds([pid]) - before) * 1000) / windowMs);
  }
  return Math.min(...uses);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
