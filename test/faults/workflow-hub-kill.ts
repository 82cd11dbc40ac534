/**
 * The hub as a process of its own, with sandbox clusters, killed with SIGKILL at every kind of transition of every strategy: at the first and the last time that it is made. What must
 * hold at every moment is judged after each kill, from everything that watches told. `npm run test:kill-runs` runs it; it takes half an hour.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Cluster } from '../../src/api/cluster.ts';
import { httpClient } from '../../src/client/http-client.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { eventually } from '../helpers/eventually.ts';
import { isTerminal, WorkflowRun } from '../../src/dialects/workflows/kinds/workflow-run.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { findBusy, findSkippedGates, RunHistory } from '../helpers/run-history.ts';
import {
  endOf,
  leavePlace,
  makeKillWorld,
  namespace,
  preparePlace,
  runScenarios,
  startRun,
  stateOf,
  twoWaves,
  type KillWorld,
  type RunScenario,
} from '../helpers/run-kill-scenarios.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const focus = new RegExp(process.env['DROVER_KILLS_FOCUS'] ?? '');
const at = new RegExp(process.env['DROVER_KILLS_AT'] ?? '');
const clusters = ['sandbox-1', 'sandbox-2'];
const exitWaitMs = 240_000;

/** Where a run is killed: the point, what is done there, and the how manyth time. */
interface Place {
  readonly point: string;
  readonly count: number;
}

test('a hub that is killed at any kind of transition of a run ends it as if it had not been', { timeout: 7_200_000 }, async t => {
  using scratch = tempDir('hub-kill');
  await using stack = new AsyncDisposableStack();
  const dataDir = path.join(scratch.dir, 'data');
  const trace = path.join(scratch.dir, 'trace');
  const port = await freePort();
  let hub: Hub | undefined;
  let starts = 0;
  let armed = '';
  await start({});
  stack.defer(() => hub?.[Symbol.asyncDispose]());
  const api = connect(path.join(dataDir, 'kubeconfig'));
  stack.use(api);
  await eventually(
    async () => (await api.list(Cluster)).items,
    all => all.length === clusters.length && all.every(one => one.status?.conditions?.some(c => c.type === 'Ready' && c.status === 'True')),
    { timeoutMs: 60_000, what: 'the clusters' },
  );
  const members = new Map(clusters.map(name => [name, connect(path.join(dataDir, 'sandboxes', `${name}.kubeconfig`))]));
  for (const member of members.values()) stack.use(member);
  const world: KillWorld = { api, clusters, member: name => members.get(name)! };
  await makeKillWorld(world);
  const history = new RunHistory(() => api, Object.fromEntries(clusters.map(name => [name, () => members.get(name)!])));
  stack.defer(() => history.stop());
  let places = 0;
  let kills = 0;
  let again = 0;
  stack.defer(() => t.diagnostic(`${kills} kills, ${again} more tries, ${starts} starts, ${history.parts.length} changes of ClusterRuns`));

  for (const [title, scenario] of Object.entries(runScenarios).filter(([one]) => focus.test(one)))
    await t.test(title, async t2 => {
      await restart({ DROVER_FAILPOINT_TRACE: trace });
      const calm = await play(scenario);
      assert.equal(calm.phase, scenario.ends);
      const chosen = placesIn(readFileSync(trace, 'utf8'), calm.name);
      rmSync(trace);
      t2.diagnostic(`${chosen.length} places to die`);
      assert.ok(chosen.length > 10, 'it does something');
      const tried = chosen.filter(one => at.test(one.point));
      for (const [i, place] of tried.entries())
        await t2.test(`killed at ${place.point} ${place.count}`, async () => {
          const rough = await playAndKill(scenario, place, tried[i + 1]);
          assert.deepEqual(rough.state, calm.state);
          assert.deepEqual(rough.colors, calm.colors, 'no swap is made twice');
        });
    });

  function nextName(): string {
    return `place-${places + 1}`;
  }

  /** What kills the hub at a place of the next run, and not before. */
  function failpointOf({ point, count }: Place): string {
    return `${point.replace('PLACE', nextName())}:${count}`;
  }

  /** How often something is done is not always the same: who was not there the last time comes one earlier. */
  async function playAndKill(scenario: RunScenario, place: Place, next: Place | undefined): ReturnType<typeof play> {
    const { point, count } = place;
    if (armed !== failpointOf(place)) await restart({ DROVER_FAILPOINT: failpointOf(place) });
    const rough = await play(scenario, { mortal: hub!, next });
    if (rough.wasKilled) {
      console.log(`${++kills}: killed at ${point} ${count}`);
      return rough;
    }
    assert.ok(count > 1, 'it was not killed');
    again++;
    return playAndKill(scenario, { point, count: count - 1 }, next);
  }

  /** A run on an infrastructure of its own. The hub that is killed meanwhile is started again, such that it dies in the next one. */
  async function play(scenario: RunScenario, { mortal, next }: { mortal?: Hub; next?: Place | undefined } = {}) {
    const name = nextName();
    places++;
    await preparePlace(world, name, scenario, twoWaves(scenario));
    await startRun(api, name);
    const phaseNow = async () => (await api.get(WorkflowRun, { namespace, name }).catch(() => undefined))?.status?.phase;
    const isOver = async () => !mortal?.program.isRunning || isTerminal(await phaseNow());
    if (mortal) await eventually(isOver, Boolean, { timeoutMs: exitWaitMs, what: 'the kill' });
    const wasKilled = mortal?.program.isRunning === false;
    if (wasKilled) await restart(next ? { DROVER_FAILPOINT: failpointOf(next) } : {});
    const phase = await endOf(api, name);
    const state = await stateOf(world, name);
    await judge(name, scenario);
    const colors = clusters.map(one => history.colors(one, name));
    await leavePlace(world, name);
    return { name, phase, state, wasKilled, colors };
  }

  /** What held at every moment of a run: no more clusters away than may be, no gate skipped, and whoever served went on. */
  async function judge(name: string, { isSecond }: RunScenario): Promise<void> {
    await history.caughtUp(name);
    assert.deepEqual(history.problems, []);
    const parts = history.parts.filter(one => one.object.spec.runRef.name === name);
    const runs = history.runs.filter(one => one.object.metadata.name === name);
    assert.ok(parts.length > clusters.length && runs.length > 1, 'watches told something');
    assert.deepEqual(findBusy(parts, 1), []);
    assert.deepEqual(findSkippedGates(runs, parts), []);
    if (isSecond)
      assert.deepEqual(
        clusters.flatMap(one => history.unserved(one, name)),
        [],
      );
  }

  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    starts++;
    hub = await startHub({ dataDir, port, extraArgs: ['--sandbox', String(clusters.length)], env, readyWithinMs: 240_000 });
    armed = env['DROVER_FAILPOINT'] ?? '';
  }

  async function restart(env: Readonly<Record<string, string>>): Promise<void> {
    hub!.program.kill('SIGKILL');
    await hub!.program.exited;
    await hub![Symbol.asyncDispose]();
    await start(env);
  }
});

const connect = (kubeconfig: string): KubeClient => {
  assert.ok(existsSync(kubeconfig), kubeconfig);
  return httpClient(contextTransport(readContext(readKubeconfigs(kubeconfig, {}), { env: {} })));
};

/** Every kind of transition of a run, the first and the last time it was made. */
function placesIn(trace: string, run: string): Place[] {
  const times = new Map<string, number>();
  for (const line of trace.split('\n').filter(one => one.includes(`@${run} `))) {
    const point = line.replace(run, 'PLACE');
    times.set(point, (times.get(point) ?? 0) + 1);
  }
  return [...times].flatMap(([point, count]) => [...new Set([1, count])].map(one => ({ point, count: one })));
}
