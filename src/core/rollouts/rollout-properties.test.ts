import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ClusterEntry, RolloutSpec, RolloutState, WaveStatus } from '../../api/rollout.ts';
import { entriesOf, hasRevision, isUnavailable, revisionFor } from './cluster-states.ts';
import { maxConcurrencyOf, maxUnavailableOf } from './rollout-limits.ts';
import { SimulatedClusters, type Fate, type SimulatedCluster } from './simulated-clusters.ts';

const names = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];
const amount = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map(share => `${share}%`),
);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

const settings = fc.record({
  maxConcurrency: maybe(amount),
  maxFailures: maybe(amount),
  soak: fc.constantFrom(undefined, '2s', '5s'),
  progressDeadline: fc.constantFrom(undefined, '20s'),
});
const waves = fc
  .array(fc.record({ settings, count: fc.integer({ min: 0, max: 3 }) }), { maxLength: 3 })
  .chain(some =>
    settings.map(last => [
      ...some.map((one, i) => ({ name: `w${i}`, count: one.count, ...defined(one.settings) })),
      { name: 'rest', remainder: true, ...defined(last) },
    ]),
  );
const specs: fc.Arbitrary<RolloutSpec> = fc
  .record({
    waves: maybe(waves),
    maxUnavailable: maybe(amount),
    maxFailures: maybe(amount),
    stagger: fc.constantFrom(undefined, '3s'),
    onFailure: fc.constantFrom('Pause' as const, 'Rollback' as const),
    rollback: fc.record({
      order: fc.constantFrom('ReverseWaves' as const, 'AllAtOnce' as const),
      maxConcurrency: fc.constantFrom(1, 3, '100%'),
      includeSucceeded: fc.constant(true),
    }),
  })
  .map(defined);

function defined<T extends object>(obj: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(obj).filter(([, value]) => value !== undefined)) as never;
}

const fates: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ becomes: fc.constant('done' as const), afterSeconds: fc.integer({ min: 0, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ becomes: fc.constant('failed' as const), afterSeconds: fc.integer({ min: 0, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ becomes: fc.constant('unhealthy' as const), afterSeconds: fc.integer({ min: 1, max: 8 }) }) },
);

/** What happens besides: hubs that are killed before a step is written, and before anybody acts on it; clusters that go and come. */
const happenings = fc.array(
  fc.record({
    atSecond: fc.nat(60),
    what: fc.constantFrom('lost' as const, 'late' as const, 'pause' as const, 'resume' as const),
  }),
  { maxLength: 12 },
);
const outages = fc.array(
  fc.record({ cluster: fc.constantFrom(...names), fromSecond: fc.nat(40), seconds: fc.integer({ min: 1, max: 40 }) }),
  { maxLength: 4 },
);

interface Scenario {
  readonly spec: RolloutSpec;
  readonly fates: readonly Fate[];
  readonly happenings: readonly { readonly atSecond: number; readonly what: 'lost' | 'late' | 'pause' | 'resume' }[];
  readonly outages: readonly { readonly cluster: string; readonly fromSecond: number; readonly seconds: number }[];
}

const scenarios = fc.record({
  spec: specs,
  fates: fc.array(fates, { minLength: names.length, maxLength: names.length }),
  happenings,
  outages,
});
const calm = scenarios.map((one): Scenario => ({ ...one, outages: [] }));

/** A fleet on which r1 is verified, and r2 is wanted. */
function fleetOf({ spec, fates }: Scenario): SimulatedClusters {
  const clusters = names.map((name, i): SimulatedCluster => ({ name, fates: { r2: fates[i]! } }));
  const world = new SimulatedClusters(clusters, {});
  world.run(5);
  assert.equal(world.state?.verified, 'r1');
  Object.assign(world, { spec, revision: 'r2' });
  return world;
}

/** Plays a scenario and shows every step that is written, with the one before. */
function play(scenario: Scenario, check: (before: RolloutState, after: RolloutState, world: SimulatedClusters) => void): SimulatedClusters {
  const world = fleetOf(scenario);
  for (let second = 0; second < 400; second++) {
    const now = scenario.happenings.filter(one => one.atSecond === second).map(one => one.what);
    if (now.includes('pause')) world.spec = { ...world.spec, paused: true };
    if (now.includes('resume') || second === 70) world.spec = { ...world.spec, paused: false };
    for (const cluster of world.clusters) {
      const isOut = scenario.outages.some(
        one => one.cluster === cluster.name && second >= one.fromSecond && second < one.fromSecond + one.seconds,
      );
      cluster.readiness = isOut ? 'away' : 'ready';
    }
    const before = world.state!;
    if (now.includes('lost')) world.step(true);
    else world.step();
    check(before, world.state!, world);
    if (!now.includes('late')) world.act();
    world.nowMs += 1000;
  }
  return world;
}

const given = (entry: ClusterEntry | undefined, state: RolloutState) => entry !== undefined && hasRevision(entry, state);
const find = (state: RolloutState, name: string) => entriesOf(state).find(one => one.name === name);

/** Clusters that a step gave the new revision to. Those that return with it are none. */
function startedBy(before: RolloutState, after: RolloutState): ClusterEntry[] {
  if (before.revision !== after.revision) return entriesOf(after).filter(one => one.state === 'Running');
  return entriesOf(after).filter(one => one.state === 'Running' && !given(find(before, one.name), before));
}

const isWell = (entry: ClusterEntry | undefined) => entry?.state === 'Succeeded' || entry?.state === 'Soaking';

test('nothing starts that would make more clusters unavailable than may be', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      play(scenario, (before, after, world) => {
        const limit = maxUnavailableOf(after, scenario.spec);
        const isCounted = (one: ClusterEntry) =>
          before.phase === 'Succeeded' && before.revision === after.revision ? one.state === 'Running' : isUnavailable(one);
        const count = entriesOf(after).filter(isCounted).length;
        // One that fell over while it was well is unavailable anyway.
        const stands = (one: ClusterEntry) => isWell(find(before, one.name)) && !world.see(one.name, before.revision).unhealthy;
        const broken = entriesOf(after).filter(one => one.state === 'RollingBack' && stands(one));
        if (startedBy(before, after).length > 0) assert.ok(count <= limit, `${count} of ${limit} after starts`);
        const failedForGood = entriesOf(after).filter(one => one.state === 'RollbackFailed').length;
        if (broken.length > 0) assert.ok(count - failedForGood <= limit, `${count} of ${limit} while putting back`);
      });
    }),
  );
});

test('no wave has more clusters under way than may be', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      play(scenario, (before, after) => {
        const started = new Set(startedBy(before, after).map(one => one.name));
        const check = (wave: WaveStatus) => {
          const running = wave.clusters.filter(one => one.state === 'Running');
          if (running.some(one => started.has(one.name))) assert.ok(running.length <= maxConcurrencyOf(wave, scenario.spec));
        };
        after.waves.forEach(check);
      });
    }),
  );
});

test('after a breach nothing starts, and no wave starts before those ahead of it are done', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      play(scenario, (before, after) => {
        const started = startedBy(before, after);
        if (before.revision === after.revision && before.breach) assert.deepEqual(started, []);
        const position = (entry: ClusterEntry) => after.waves.findIndex(wave => wave.clusters.includes(entry));
        for (const entry of started)
          for (const wave of after.waves.slice(0, position(entry))) assert.ok(wave.phase === 'Done' || wave.phase === 'Skipped', wave.name);
      });
    }),
  );
});

test('while it is paused nothing starts', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      play(scenario, (before, after, world) => {
        if (world.spec.paused && before.revision === after.revision && after !== before) assert.deepEqual(startedBy(before, after), []);
      });
    }),
  );
});

const isEnd = (state: string) => !['Running', 'RollingBack', 'Soaking'].includes(state);

test('it comes to an end, whatever is lost on the way, and clusters have what it says', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      const world = play(scenario, () => {});
      const state = world.state!;
      assert.ok(['Succeeded', 'Failed', 'RolledBack', 'RollbackFailed'].includes(state.phase), `${state.phase}: ${state.message}`);
      for (const entry of entriesOf(state)) assert.ok(isEnd(entry.state), `${entry.name} is ${entry.state}`);
      for (const name of names) assert.equal(world.revisionOn(name), revisionFor(state, name));
      if (state.phase === 'Succeeded') assert.equal(state.verified, 'r2');
      else assert.equal(state.verified, 'r1');
    }),
  );
});

test('after a rollback all clusters have what was verified', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      const world = play(scenario, () => {});
      if (world.state!.phase !== 'RolledBack') return;
      for (const name of names) assert.equal(world.revisionOn(name), 'r1');
    }),
  );
});

test('hubs that are killed before they act change nothing about the end when nothing fails', () => {
  fc.assert(
    fc.property(calm, scenario => {
      const fine = scenario.fates.map((fate): Fate => ({ ...fate, becomes: 'done' }));
      const waves = scenario.spec.waves?.map(({ progressDeadline: _, ...wave }) => wave);
      const world = play({ ...scenario, fates: fine, spec: { ...scenario.spec, ...(waves && { waves }) } }, () => {});
      assert.equal(world.state?.phase, 'Succeeded');
      for (const name of names) assert.equal(world.revisionOn(name), 'r2');
    }),
  );
});

test('a step that is made again from the same state is the same', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      play(scenario, (_before, _after, world) => {
        assert.deepEqual(world.step(true).state, world.step(true).state);
      });
    }),
    { numRuns: 10 },
  );
});
