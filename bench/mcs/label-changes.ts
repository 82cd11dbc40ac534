import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigMap, Secret } from '../../src/api/builtin-kinds.ts';
import { ClusterDeployment } from '../../src/dialects/k0rdent/kinds/cluster-deployment.ts';
import { systemNamespace as namespace } from '../../src/dialects/k0rdent/kinds/group.ts';
import { cpuSeconds } from '../process-use.ts';
import { release, untilTold } from './deploy-everywhere.ts';
import { firstSeen } from './first-seen.ts';
import { clusterName, spareName, type Fleet } from './fleet.ts';
import type { TimeLimit } from './time-limit.ts';

/** What one changed label costs, over some rounds. Milliseconds. */
export interface LabelChanges {
  /** From the write of the label until a changed object is on the member. */
  readonly toMember: readonly number[];
  /** From the record of the release, which is the last that is written on the member, until the MultiClusterService says so. */
  readonly toStatus: readonly number[];
  /** Of the hub with its sandboxes, for one change, without what it uses at rest. */
  readonly cpuMs: number;
  readonly writes: number;
}

/** What the hub does when nobody asks it for anything. */
export interface Rest {
  readonly cpuPerMs: number;
  readonly writesPerMs: number;
}

/** Changes are numbered, and none comes twice. */
export interface Rounds {
  readonly first: number;
  readonly rounds: number;
}

const pauseMs = 1_500;
const configMap = { namespace: release, fieldSelector: `metadata.name=${release}-config-0` };

/** Of some windows the quietest: what is still being done for what was asked before is no rest. */
export async function measureRest(fleet: Fleet, { windows, windowMs }: { windows: number; windowMs: number }): Promise<Rest> {
  const rests: Rest[] = [];
  for (let i = 0; i < windows; i++) {
    const use = await startUse(fleet);
    await sleep(windowMs);
    const { cpuMs, writes, elapsedMs } = await use.end();
    rests.push({ cpuPerMs: cpuMs / elapsedMs, writesPerMs: writes / elapsedMs });
  }
  return rests.toSorted((a, b) => a.cpuPerMs - b.cpuPerMs)[0]!;
}

/** A label that the values of one cluster ask for. */
export async function changeValues(fleet: Fleet, { first, rounds }: Rounds, rest: Rest, limit: TimeLimit): Promise<LabelChanges> {
  const toMember: number[] = [];
  const use = await startUse(fleet);
  for (let round = first + 1; round <= first + rounds; round++) {
    const name = clusterName(round % fleet.size);
    await using member = fleet.member(name);
    using applied = firstSeen(member, ConfigMap, configMap, ({ data }) => data?.['text'] === `${name}-c${round}`);
    await applied.isWatching;
    const startedAt = performance.now();
    await label(fleet, name, { color: `c${round}` });
    toMember.push((await limit.wait(applied.atMs, () => `the changed value was not on ${name}`)) - startedAt);
    await sleep(pauseMs);
  }
  return { toMember, toStatus: [], ...use.of(rounds, rest, await use.end()) };
}

/** A label with which one cluster more matches. */
export async function joinClusters(fleet: Fleet, { first, rounds }: Rounds, rest: Rest, limit: TimeLimit): Promise<LabelChanges> {
  const toMember: number[] = [];
  const toStatus: number[] = [];
  const use = await startUse(fleet);
  for (let round = first + 1; round <= first + rounds; round++) {
    const name = spareName(round - 1);
    await using member = fleet.member(name);
    using applied = firstSeen(member, ConfigMap, configMap, () => true);
    using recorded = firstSeen(member, Secret, { namespace: release, labelSelector: 'owner=helm,status=deployed' }, () => true);
    using told = untilTold(fleet, fleet.size + round);
    await Promise.all([applied.isWatching, recorded.isWatching, told.isWatching]);
    const startedAt = performance.now();
    await label(fleet, name, { tier: 'dev' });
    const howFar = () => `${name} had joined and was not deployed`;
    toMember.push((await limit.wait(applied.atMs, howFar)) - startedAt);
    const recordedAt = await limit.wait(recorded.atMs, howFar);
    toStatus.push((await limit.wait(told.atMs, howFar)) - recordedAt);
    await sleep(pauseMs);
  }
  return { toMember, toStatus, ...use.of(rounds, rest, await use.end()) };
}

function label({ hub }: Fleet, name: string, labels: Record<string, string>): Promise<unknown> {
  return hub.patch(ClusterDeployment, { namespace, name }, { type: 'merge', body: { metadata: { labels } } });
}

interface Use {
  readonly cpuMs: number;
  readonly writes: number;
  readonly elapsedMs: number;
}

async function startUse(fleet: Fleet) {
  const before = { cpu: cpuSeconds([fleet.pid]), revision: await fleet.revision(), atMs: performance.now() };
  return {
    end: async (): Promise<Use> => ({
      cpuMs: (cpuSeconds([fleet.pid]) - before.cpu) * 1000,
      writes: (await fleet.revision()) - before.revision,
      elapsedMs: performance.now() - before.atMs,
    }),
    of: (rounds: number, { cpuPerMs, writesPerMs }: Rest, { cpuMs, writes, elapsedMs }: Use) => ({
      cpuMs: (cpuMs - cpuPerMs * elapsedMs) / rounds,
      writes: (writes - writesPerMs * elapsedMs) / rounds,
    }),
  };
}
