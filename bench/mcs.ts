import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { figure, type Figure } from './figure.ts';
import { deployEverywhere, type Deployment } from './mcs/deploy-everywhere.ts';
import { startFleet } from './mcs/fleet.ts';
import { changeValues, joinClusters, measureRest, type LabelChanges } from './mcs/label-changes.ts';
import { OutOfTime, timeLimit } from './mcs/time-limit.ts';
import { residentBytes } from './process-use.ts';
import type { BenchOptions, BenchResult } from './run.ts';

/** As far as it came: what is not there was not done in time. */
interface Measured {
  readonly size: number;
  readySeconds?: number;
  everywhere?: Deployment;
  restingMib?: number;
  /** On the member, after a time in which nothing was asked for. */
  firstChangeMs?: number;
  values?: LabelChanges;
  joins?: LabelChanges;
}

/** For making the clusters, and again for all that is done with them. */
const limitMs = 15 * 60_000;
/** So many changes come before those that are measured. */
const warmUps = 3;
/** A change may cost so many times what it costs with the fewest clusters. */
const mayGrow = 1.5;

/** One MultiClusterService to many sandbox clusters, and what one changed label costs then. */
export async function benchMultiClusterServices({ quick, sizes, log }: BenchOptions): Promise<BenchResult> {
  const wanted = sizes.length > 0 ? sizes : quick ? [10, 100] : [10, 100, 1000, 5000];
  const all: Measured[] = [];
  const unfinished: string[] = [];
  for (const size of wanted) {
    const measured: Measured = { size };
    all.push(measured);
    try {
      await measure(measured, quick, text => log(`${size} clusters: ${text}`));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      unfinished.push(`${size.toLocaleString('en')} clusters: ${error.message}`);
      log(unfinished.at(-1)!);
    }
  }
  return {
    notes: [
      `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      'hub: `drover up`, embedded, with all sandbox clusters in its process; clusters: ClusterDeployments of sandbox-1-0-0; chart of 20 objects, values templated for each cluster',
      'processor time is that of the hub and all its sandboxes; for changed labels without what they use at rest. No peer: Sveltos, which does this for k0rdent, is not run here',
      ...unfinished,
    ],
    figures: all.flatMap(one => figuresOf(one, all[0]!)),
  };
}

async function measure(measured: Measured, quick: boolean, log: (text: string) => void): Promise<void> {
  const { size } = measured;
  const rounds = quick ? 5 : 15;
  await using fleet = await startFleet({ size, spare: warmUps + rounds, limit: timeLimit(limitMs), log });
  measured.readySeconds = fleet.readySeconds;
  const limit = timeLimit(limitMs);
  await sleep(quick ? 3_000 : 10_000);
  const everywhere = await deployEverywhere(fleet, limit, log);
  measured.everywhere = everywhere;
  log(`all deployed after ${everywhere.seconds.toFixed(1)} s, ${everywhere.cpuSeconds.toFixed(1)} s of CPU, ${everywhere.writes} writes`);
  // Threads that render end after a minute without work, and a hub gives memory back some time after it was busy.
  await sleep(quick ? 10_000 : 75_000);
  measured.restingMib = residentBytes(fleet.pid) / 2 ** 20;
  const rest = await measureRest(fleet, { windows: 6, windowMs: quick ? 3_000 : 10_000 });
  log(`at rest ${(rest.cpuPerMs * 100).toFixed(1)} % of a core`);
  measured.firstChangeMs = (await changeValues(fleet, { first: 0, rounds: warmUps }, rest, limit)).toMember[0]!;
  measured.values = await changeValues(fleet, { first: warmUps, rounds }, rest, limit);
  log(`a changed value: ${describe(measured.values)}`);
  await joinClusters(fleet, { first: 0, rounds: warmUps }, rest, limit);
  measured.joins = await joinClusters(fleet, { first: warmUps, rounds }, rest, limit);
  log(`one more cluster: ${describe(measured.joins)}`);
}

const describe = ({ toMember, toStatus, cpuMs, writes }: LabelChanges): string =>
  [
    `on the member after ${median(toMember).toFixed(0)} ms (at most ${Math.max(...toMember).toFixed(0)})`,
    ...(toStatus.length > 0 ? [`told ${median(toStatus).toFixed(0)} ms later (at most ${Math.max(...toStatus).toFixed(0)})`] : []),
    `${cpuMs.toFixed(0)} ms of CPU, ${writes.toFixed(1)} writes`,
  ].join(', ');

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function figuresOf({ size, readySeconds, everywhere, restingMib, firstChangeMs, values, joins }: Measured, least: Measured): Figure[] {
  const clusters = `${size.toLocaleString('en')} clusters`;
  const line = (name: string, unit: string, ours: number | undefined, below?: number): Figure[] => {
    if (ours === undefined) return [];
    return [figure({ name: `${name}, ${clusters}`, unit, ours, peer: NaN, better: 'less', ...(below !== undefined && { below }) })];
  };
  const second = size >= 1000 ? 1000 : undefined;
  const grown = (ofLeast: number | undefined) =>
    size === least.size || ofLeast === undefined ? undefined : Number((ofLeast * mayGrow).toPrecision(3));
  const each = (one: Measured) => one.everywhere && (one.everywhere.cpuSeconds / one.size) * 1000;
  return [
    ...line('ClusterDeployments ready', 's', readySeconds),
    ...line('all deployed', 's', everywhere?.seconds),
    ...line('processor time for each cluster', 'ms', everywhere && (everywhere.cpuSeconds / size) * 1000, grown(each(least))),
    ...line('writes to the hub for each cluster', 'writes', everywhere && everywhere.writes / size),
    ...line('memory at the end', 'MiB', everywhere?.mib),
    ...line('memory at rest', 'MiB', restingMib),
    ...line('changed value: on the member, the first after a rest', 'ms', firstChangeMs, second),
    ...line('changed value: on the member, p50', 'ms', values && median(values.toMember)),
    ...line('changed value: on the member, at most', 'ms', values && Math.max(...values.toMember), second),
    ...line('changed value: processor time', 'ms', values?.cpuMs, grown(least.values?.cpuMs)),
    ...line('changed value: writes to the hub', 'writes', values?.writes),
    ...line('one more matches: on the member, p50', 'ms', joins && median(joins.toMember)),
    ...line('one more matches: on the member, at most', 'ms', joins && Math.max(...joins.toMember), second),
    ...line('one more matches: status after the member, p50', 'ms', joins && median(joins.toStatus)),
    ...line('one more matches: status after the member, at most', 'ms', joins && Math.max(...joins.toStatus), second),
    ...line('one more matches: processor time', 'ms', joins?.cpuMs, grown(least.joins?.cpuMs)),
    ...line('one more matches: writes to the hub', 'writes', joins?.writes),
  ];
}
