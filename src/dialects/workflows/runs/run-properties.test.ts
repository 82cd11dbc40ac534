import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countOf } from '../../../core/rollouts/rollout-limits.ts';
import type { GateAnswer } from '../gates/gate-desk.ts';
import { isInFlight } from './cluster-grant.ts';
import { SimulatedFleet, type Fate } from './simulated-fleet.ts';

const ids = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'];
const amount = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map(share => `${share}%`),
);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const defined = <T extends object>(obj: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(obj).filter(([, value]) => value !== undefined)) as never;

const gate = fc.record({
  name: fc.constantFrom('g1', 'g2'),
  type: fc.constant('Approval'),
  onFailure: fc.constantFrom('Fail', 'Rollback'),
});
const gates = fc.uniqueArray(gate, { maxLength: 2, selector: one => one.name });
const settings = fc
  .record({
    maxConcurrency: maybe(amount),
    maxFailures: maybe(amount),
    soak: fc.constantFrom(undefined, '3s'),
    before: gates,
    after: gates,
  })
  .map(defined);
const waves = fc
  .array(fc.record({ settings, count: fc.integer({ min: 0, max: 3 }) }), { maxLength: 3 })
  .chain(some =>
    settings.map(last => [
      ...some.map((one, i) => ({ name: `w${i}`, count: one.count, ...one.settings })),
      { name: 'rest', remainder: true, ...last },
    ]),
  );
const rollout = fc
  .record({
    waves: maybe(waves),
    scope: fc.constantFrom('PerWave', 'PerPhase'),
    maxUnavailable: maybe(amount),
    maxFailures: maybe(amount),
    stagger: fc.constantFrom(undefined, '2s'),
    rollback: fc.record({ order: fc.constantFrom('ReverseWaves', 'AllAtOnce'), maxConcurrency: fc.constantFrom(1, 3, '100%') }),
  })
  .map(defined);
const action = fc.constantFrom(
  'RollbackWorkflow',
  'RollbackPhase',
  'RollbackWave',
  'RollbackCluster',
  'Retry',
  'Ignore',
  'EndExecution',
  'Abort',
);
const specs = fc.record({
  type: fc.constantFrom('Rolling', 'Canary', 'BlueGreen'),
  rollout,
  failureStrategies: fc.array(
    action.map(one => ({ action: one, retry: { count: 1, intervals: ['2s'], then: 'RollbackWorkflow' } })),
    { maxLength: 1 },
  ),
});

/** By cluster, position of the step and attempt, so that it does not depend on when something is done. */
const luck = fc.record({
  failing: fc.array(fc.tuple(fc.constantFrom(...ids), fc.nat(4), fc.integer({ min: 1, max: 2 })), { maxLength: 3 }),
  seconds: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 }),
  badGates: fc.array(fc.constantFrom('w0/before/g1', 'w0/after/g2', 'rest/before/g1', 'rest/after/g1'), { maxLength: 1 }),
  gateSeconds: fc.nat(4),
  brokenRollbacks: fc.array(fc.constantFrom(...ids), { maxLength: 1 }),
});
const outages = fc.array(
  fc.record({ cluster: fc.constantFrom(...ids), fromSecond: fc.nat(20), seconds: fc.integer({ min: 1, max: 30 }) }),
  { maxLength: 2 },
);
const wishes = fc.array(fc.record({ atSecond: fc.nat(30), state: fc.constantFrom('Pause' as const, 'Run' as const) }), { maxLength: 3 });

interface Scenario {
  readonly spec: {
    readonly type: string;
    readonly rollout: Record<string, unknown>;
    readonly failureStrategies: readonly { readonly action: string }[];
  };
  readonly luck: {
    readonly failing: readonly (readonly [string, number, number])[];
    readonly seconds: readonly number[];
    readonly badGates: readonly string[];
    readonly gateSeconds: number;
    readonly brokenRollbacks: readonly string[];
  };
  readonly outages: readonly { readonly cluster: string; readonly fromSecond: number; readonly seconds: number }[];
  readonly wishes: readonly { readonly atSecond: number; readonly state: 'Pause' | 'Run' }[];
}
const scenarios: fc.Arbitrary<Scenario> = fc.record({ spec: specs, luck, outages, wishes }) as fc.Arbitrary<Scenario>;

function fleetOf({ spec, luck: { failing, seconds, badGates, gateSeconds, brokenRollbacks } }: Scenario): SimulatedFleet {
  const fleet = new SimulatedFleet(
    ids.map(id => ({ id })),
    spec,
  );
  fleet.fateOf = (id, { position, attempt, isRollback }): Fate => {
    const afterSeconds = seconds[ids.indexOf(id)]!;
    const isBad =
      isRollback === true
        ? brokenRollbacks.includes(id)
        : failing.some(([cluster, at, attempts]) => cluster === id && at === position && attempt <= attempts);
    return { status: isBad ? 'Failed' : 'Succeeded', afterSeconds };
  };
  const firstAsked = new Map<string, number>();
  fleet.answerOf = ({ place }, second): GateAnswer => {
    const since = firstAsked.get(place) ?? second;
    firstAsked.set(place, since);
    if (second - since < gateSeconds) return { phase: 'Running', state: {} };
    return { phase: badGates.some(bad => place.includes(bad)) ? 'Failed' : 'Successful', state: {} };
  };
  return fleet;
}

const endSecond = 600;

/** Plays a scenario. With kills, the controller dies after so many writes, again and again. */
function play(scenario: Scenario, fleet = fleetOf(scenario), kills: readonly number[] = []): SimulatedFleet {
  const left = [...kills];
  const go = () => {
    while (left.length > 0 && !fleet.reconcile(left.shift()));
    fleet.reconcile();
  };
  go();
  while (fleet.status?.finishedAt === undefined && fleet.second < endSecond) {
    for (const { atSecond, state } of scenario.wishes) if (atSecond === fleet.second) fleet.want(state);
    if (fleet.second === 40) fleet.want('Run');
    for (const member of fleet.members) {
      const isOut = (one: Scenario['outages'][number]) =>
        one.cluster === member.id && fleet.second >= one.fromSecond && fleet.second < one.fromSecond + one.seconds;
      member.isReady = !scenario.outages.some(isOut);
    }
    fleet.tick();
    go();
  }
  return fleet;
}

const isUnavailable = (fleet: SimulatedFleet, id: string): boolean =>
  isInFlight(fleet.parts.get(id) ?? { spec: {} }) || ['Failed', 'TimedOut', 'RollbackFailed'].includes(fleet.stateOf(id));

test('max_unavailable_never_exceeded: no more clusters are unavailable than may be, at any moment', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      const fleet = fleetOf(scenario);
      const { maxUnavailable } = scenario.spec.rollout as { maxUnavailable?: number | string };
      let before: readonly string[] = [];
      fleet.check = () => {
        // After the end those that failed keep nobody from catching up.
        const away = fleet.status?.phase === 'Succeeded' ? fleet.inFlight() : ids.filter(id => isUnavailable(fleet, id));
        const started = fleet.inFlight().filter(id => !before.includes(id));
        before = away;
        if (maxUnavailable === undefined || started.length === 0) return;
        const limit = countOf(maxUnavailable, ids.filter(id => fleet.stateOf(id) !== 'Skipped').length, 1);
        // On the way back what is broken comes first, whatever the limit, and one that is well may always go: nothing else would ever make room.
        const isForward = fleet.status?.engine?.rollback === undefined || fleet.status.engine.rollback.isDone === true;
        const broken = ids.filter(id => ['Failed', 'TimedOut', 'RollbackFailed', 'RollingBack'].includes(fleet.stateOf(id)));
        assert.ok(away.length <= (isForward ? limit : Math.max(limit, broken.length + 1)), `${away.length} of ${limit}`);
      };
      play(scenario, fleet);
    }),
  );
});

test('no wave has more clusters under way than may be, and no wave begins before those ahead are over', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      const fleet = fleetOf(scenario);
      const settingsOf = new Map(
        ((scenario.spec.rollout['waves'] ?? []) as { name: string; maxConcurrency?: number | string }[]).map(one => [one.name, one]),
      );
      fleet.check = () => {
        const { rollback } = fleet.status?.engine ?? {};
        if (fleet.status?.finishedAt !== undefined || (rollback && rollback.isDone !== true)) return;
        const busy = (fleet.status?.waves ?? []).filter(wave => wave.clusters.some(id => fleet.inFlight().includes(id)));
        assert.ok(busy.length <= 1, 'two waves at once');
        for (const wave of busy) {
          const members = wave.clusters.filter(id => fleet.stateOf(id) !== 'Skipped').length;
          const limit = countOf(settingsOf.get(wave.name)?.maxConcurrency ?? '100%', members, 1);
          assert.ok(wave.clusters.filter(id => fleet.inFlight().includes(id)).length <= limit);
        }
      };
      play(scenario, fleet);
    }),
  );
});

test('no gate is skipped', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      const fleet = fleetOf(scenario);
      const spec = (scenario.spec.rollout['waves'] ?? []) as { name: string; before?: { name: string }[]; after?: { name: string }[] }[];
      const passed = new Set<string>();
      const isIgnored = scenario.spec.failureStrategies.some(one => one.action === 'Ignore');
      const { answerOf } = fleet;
      fleet.answerOf = (question, second) => {
        const given = answerOf(question, second);
        if (given.phase === 'Successful' || isIgnored) passed.add(question.place.split('/').slice(1, 4).join('/'));
        return given;
      };
      const passes = (wave: string, side: 'before' | 'after') =>
        (spec.find(one => one.name === wave)?.[side] ?? []).every(({ name }) => passed.has(`${wave}/${side}/${name}`));
      fleet.check = () => {
        for (const wave of fleet.status?.waves ?? []) {
          const hasBegun = wave.clusters.some(id => fleet.parts.get(id)?.spec.grant !== undefined);
          if (hasBegun) assert.ok(passes(wave.name, 'before'), `${wave.name} began`);
          if (wave.phase === 'Succeeded') assert.ok(passes(wave.name, 'after'), `${wave.name} succeeded`);
        }
      };
      play(scenario, fleet);
    }),
  );
});

test('no cluster does a step twice but for another attempt', () => {
  fc.assert(
    fc.property(scenarios, fc.array(fc.nat(6), { maxLength: 30 }), (scenario, kills) => {
      const { deeds } = play(scenario, undefined, kills);
      const done = deeds.map(
        ({ cluster, grant }) => `${cluster} ${grant.position} ${grant.attempt} ${grant.isRollback === true ? grant.id : ''}`,
      );
      assert.equal(new Set(done).size, done.length);
    }),
  );
});

test('whoever is killed between two writes, the run ends as if nothing had happened', () => {
  fc.assert(
    fc.property(scenarios, fc.array(fc.nat(6), { maxLength: 60 }), (scenario, kills) => {
      const calm = play(scenario);
      const rough = play(scenario, undefined, kills);
      assert.equal(rough.status?.phase, calm.status?.phase);
      assert.deepEqual(rough.states(), calm.states());
      assert.equal(rough.second, calm.second);
      const steps = ({ status }: SimulatedFleet) =>
        status?.steps?.map(({ name, status: is, wave, attempt, succeeded, failed }) => [name, is, wave, attempt, succeeded, failed]);
      assert.deepEqual(steps(rough), steps(calm));
    }),
  );
});

test('every run comes to an end, and says what is', () => {
  fc.assert(
    fc.property(scenarios, scenario => {
      const fleet = play(scenario);
      for (const member of fleet.members) member.isReady = true;
      // Those that were away catch up.
      for (let i = 0; i < 60; i++) {
        fleet.tick();
        fleet.reconcile();
      }
      const { phase = '' } = fleet.status ?? {};
      assert.ok(['Succeeded', 'Failed', 'RolledBack', 'RollbackFailed', 'Aborted'].includes(phase), `${phase} after ${fleet.second} s`);
      assert.deepEqual(fleet.inFlight(), []);
      const states = new Set(Object.values(fleet.states()));
      if (phase === 'RolledBack') for (const bad of ['Succeeded', 'Failed', 'RollbackFailed', 'TimedOut']) assert.ok(!states.has(bad), bad);
      if (phase === 'Succeeded') assert.ok(!states.has('Pending'));
      const { total = 0, ...counts } = fleet.status?.clusters ?? {};
      assert.equal(
        Object.values(counts).reduce((sum, one) => sum + one, 0),
        total,
      );
    }),
  );
});
