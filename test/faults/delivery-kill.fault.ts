import assert from 'node:assert/strict';
import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConfigMap } from '../../src/api/builtin-kinds.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { readReleases } from '../../src/core/releases/read-releases.ts';
import { failpoints, observeFailpoints, type Failpoint } from '../../src/runtime/failpoint.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { eventually } from '../helpers/eventually.ts';
import { killScenarios, placeIn, type Place } from '../helpers/kill-scenarios.ts';
import { Program } from '../helpers/program.ts';
import { clientOf, Job } from '../helpers/release-rig.ts';
import { repositoryRoot } from '../helpers/rig.ts';
import { startSandboxCluster, type SandboxCluster } from '../helpers/sandbox-cluster.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** Without it every point is tried in two scenarios; with `DROVER_KILLS=all` in all that reach it, the first and the last time (153 kills, minutes). */
const killsAll = process.env['DROVER_KILLS'] === 'all';

const quickResolve = path.join(repositoryRoot, 'bin/quick-resolve.js');

describe('a delivery that is killed anywhere ends as if it had not been', { timeout: killsAll ? 1_800_000 : 290_000 }, () => {
  const scratch = tempDir('delivery-kill');
  const ended = new AbortController();
  /** Names of Jobs as they were created, by namespace. */
  const created = new Map<string, string[]>();
  const reached = new Set<Failpoint>();
  const killed = new Map<Failpoint, number>();
  let sandbox: SandboxCluster;
  let client: KubeClient;
  let namespaces = 0;
  before(async () => {
    // A node takes 110 pods, and every place leaves one.
    sandbox = await startSandboxCluster({ nodes: 4 });
    client = clientOf(sandbox.kubeconfig);
    void countJobs();
  });
  after(async () => {
    ended.abort();
    await client?.[Symbol.asyncDispose]();
    await sandbox?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });

  async function countJobs(): Promise<void> {
    const uids = new Set<string>();
    let resourceVersion = (await client.list(Job)).resourceVersion;
    while (!ended.signal.aborted) {
      for await (const event of client.watch(Job, { resourceVersion, signal: ended.signal })) {
        if (event.type === 'EXPIRED') throw new Error('events were lost');
        const { uid = '', namespace = '', name = '' } = event.object.metadata;
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        if (event.type === 'BOOKMARK' || uids.has(uid)) continue;
        uids.add(uid);
        created.set(namespace, [...(created.get(namespace) ?? []), name]);
      }
    }
  }

  /** Which of the times that a point is reached are tried. */
  function choose(point: Failpoint, times: number): { point: Failpoint; count: number }[] {
    if (killsAll) return [...new Set([1, times])].map(count => ({ point, count }));
    const before = killed.get(point) ?? 0;
    killed.set(point, before + 1);
    return before > 1 ? [] : [{ point, count: before === 0 ? 1 : times }];
  }

  const newPlace = (): Place => placeIn(client, `kill-place-${++namespaces}`, ended.signal);

  /** Everything that one could tell two clusters apart by. */
  async function stateOf({ member, release }: Place) {
    const { namespace } = release;
    const records = await readReleases(member, release, { signal: ended.signal });
    const maps = await client.list(ConfigMap, { namespace });
    const jobs = await client.list(Job, { namespace });
    const text = JSON.stringify({
      records: records.map(({ release: { revision, status, description, manifest, hooks } }) => ({
        revision,
        status,
        description,
        manifest,
        hooks: hooks.map(({ name, lastRun }) => `${name} ${lastRun.phase}`),
      })),
      objects: maps.items
        .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
        .map(({ metadata: { name, labels, annotations }, data }) => ({ name, labels, annotations, data })),
      jobs: jobs.items.map(({ metadata: { name, annotations } }) => ({ name, annotations })),
    });
    // Pods of Jobs have names that are made up.
    return JSON.parse(text.replaceAll(namespace, 'NAMESPACE').replaceAll(/pod bad-\w{5}/g, 'pod bad-POD')) as unknown;
  }

  for (const [name, { prepare, deed, isDoneAt = [] }] of Object.entries(killScenarios)) {
    test(name, async t => {
      const example = newPlace();
      await prepare(example);
      const before = created.get(example.release.namespace)?.length ?? 0;
      const points: Failpoint[] = [];
      {
        using _observing = observeFailpoints(point => points.push(point));
        await deed(example);
      }
      const expected = await stateOf(example);
      // Who is killed leaves nothing compiled behind for the next.
      flushCompileCache();
      const jobs = (created.get(example.release.namespace) ?? []).toSorted();
      assert.ok(points.length > 5 && jobs.length > before, `${name} does something`);
      for (const point of points) reached.add(point);

      const kills = [...Map.groupBy(points, point => point)].flatMap(([point, { length }]) => choose(point, length));
      t.diagnostic(`${kills.length} places to die`);
      await mapBounded(kills, 2, async ({ point, count }) => {
        const place = newPlace();
        const { namespace } = place.release;
        const where = `${name}, killed at ${point}:${count}`;
        await prepare(place);
        const child = new Program({
          name: 'delivery',
          command: path.join(repositoryRoot, 'node_modules/.bin/node'),
          args: ['--import', quickResolve, path.join(import.meta.dirname, 'delivery-kill-child.ts'), name, sandbox.kubeconfig, namespace],
          env: { DROVER_FAILPOINT: `${point}:${count}` },
          logFile: path.join(scratch.dir, `${namespace}.log`),
        });
        assert.equal(await child.exited, null, `${where}: was not killed; ${child.logTail()}`);
        if (!isDoneAt.includes(point)) await deed(place);
        assert.deepEqual(await stateOf(place), expected, where);
        const have = await eventually(
          () => created.get(namespace) ?? [],
          all => all.length >= jobs.length,
          { what: `Jobs of ${where}` },
        );
        assert.deepEqual(have.toSorted(), jobs, `${where}: hooks ran once`);
      });
    });
  }

  test('no place was left out', () => {
    const all = failpoints.filter(point => point.startsWith('releases.'));
    assert.deepEqual([...reached].toSorted(), all.toSorted());
    assert.deepEqual(sandbox.problems, []);
  });
});
