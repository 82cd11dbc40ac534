import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failpoints, type Failpoint } from '../../src/runtime/failpoint.ts';
import { startDyingHub } from '../helpers/dying-hub.ts';
import { findBusy, RunHistory } from '../helpers/run-history.ts';
import {
  endOf,
  leavePlace,
  makeKillWorld,
  oneWave,
  preparePlace,
  runScenarios,
  startRun,
  stateOf,
  type RunScenario,
} from '../helpers/run-kill-scenarios.ts';

/** Without it some places of every scenario are tried; with `DROVER_KILLS=all` every place (some 300 kills, 10 minutes). */
const killsAll = process.env['DROVER_KILLS'] === 'all';
/** Which scenarios, and how many places are left out at the beginning of each. */
const focus = new RegExp(process.env['DROVER_KILLS_FOCUS'] ?? '');
const firstPlace = Number(process.env['DROVER_KILLS_FROM'] ?? 1);
const killsPerScenario = 1;
/** How often something is written depends on what comes first, in few places. */
const maxShorter = 10;
const clusters = ['east', 'west'];

test(
  'a hub that is killed at any transition of a run ends it as if it had not been',
  { timeout: killsAll ? 3_600_000 : 290_000 },
  async t => {
    const hub = await startDyingHub(t, clusters);
    const { api } = hub;
    const world = { api, clusters, member: hub.member };
    await makeKillWorld(world);
    const history = new RunHistory(() => api, Object.fromEntries(clusters.map(name => [name, () => hub.member(name)])));
    t.after(() => history.stop());
    const tried = new Set<Failpoint>();
    let places = 0;
    let shorter = 0;
    t.after(() => t.diagnostic(`${hub.deaths} kills, ${shorter} more tries`));

    for (const [title, scenario] of Object.entries(runScenarios).filter(([one]) => focus.test(one)))
      await t.test(title, async t2 => {
        const calm = await play(scenario, undefined);
        assert.equal(calm.phase, scenario.ends);
        assert.ok(calm.points.length > 10, 'it does something');
        const chosen = killsAll ? calm.points.map((_, i) => i + 1).slice(firstPlace - 1) : choose(calm.points);
        t2.diagnostic(`${chosen.length} of ${calm.points.length} places to die`);
        for (const count of chosen) {
          tried.add(calm.points[count - 1]!);
          const rough = await playAndKill(scenario, count);
          assert.deepEqual(rough.state, calm.state, `killed at place ${count}, ${calm.points[count - 1]}`);
          assert.deepEqual(rough.colors, calm.colors, `killed at place ${count}: no swap is made twice`);
          assert.deepEqual(rough.unserved, [], `killed at place ${count}: somebody serves at every moment`);
        }
      });

    await t.test('no place was left out, and no more than one cluster was busy at any moment', () => {
      const all = failpoints.filter(point => point.startsWith('workflows.'));
      assert.deepEqual([...tried].toSorted(), all.toSorted());
      assert.deepEqual([...history.problems, ...findBusy(history.parts, 1)], []);
    });

    /** Those that were not tried before come first; then what is spread over the run. */
    function choose(points: readonly Failpoint[]): number[] {
      const fresh = points.findIndex(point => !tried.has(point)) + 1;
      const spread = Array.from({ length: killsPerScenario }, (_, i) => 1 + Math.floor(((i + 0.5) * points.length) / killsPerScenario));
      const missing = failpoints.filter(point => points.includes(point) && !tried.has(point)).map(point => points.lastIndexOf(point) + 1);
      return [...new Set([...(fresh > 0 ? [fresh] : []), ...missing.slice(0, 2), ...spread])];
    }

    /** A run that had nothing more to do at the place, where another had, is killed at the last of its own. */
    async function playAndKill(scenario: RunScenario, count: number): ReturnType<typeof play> {
      const rough = await play(scenario, count);
      if (rough.wasKilled) return rough;
      assert.ok(rough.points.length < count && ++shorter <= maxShorter, `it was not killed at place ${count}`);
      return playAndKill(scenario, rough.points.length);
    }

    /** A run on an infrastructure of its own. */
    async function play(scenario: RunScenario, killAt: number | undefined) {
      const name = `place-${++places}`;
      await preparePlace(world, name, scenario, oneWave(scenario));
      hub.passed();
      const before = hub.deaths;
      if (killAt !== undefined) hub.killAt(killAt);
      await startRun(api, name);
      const phase = await endOf(api, name);
      hub.killAt(Infinity);
      const points = hub.passed();
      const state = await stateOf(world, name);
      await history.caughtUp(name);
      const unserved = scenario.isSecond ? clusters.flatMap(one => history.unserved(one, name)) : [];
      const colors = clusters.map(one => history.colors(one, name));
      await leavePlace(world, name);
      return { phase, points, state, unserved, colors, wasKilled: hub.deaths > before };
    }
  },
);
