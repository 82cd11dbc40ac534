import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Job, Pod } from '../../api/kubernetes.ts';
import { startMemoryCluster, type MemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { sandboxNode } from '../nodes/sandbox-node.ts';
import { startControllers } from './start-controllers.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };
const jobs = { group: 'batch', version: 'v1', resource: 'jobs' };

const turn = () => new Promise(resolve => setImmediate(resolve));

/** Lets controllers work for a few turns only, as if the process were killed then. Writes under way still arrive. */
async function runBriefly(cluster: MemoryCluster, turns: number): Promise<void> {
  {
    using _ = startControllers(cluster);
    for (let i = 0; i < turns; i++) await turn();
  }
  for (let quiet = 0, seen = cluster.store.revision; quiet < 5; quiet++) {
    await turn();
    if (seen !== cluster.store.revision) quiet = 0;
    seen = cluster.store.revision;
  }
}

async function runToEnd(cluster: MemoryCluster): Promise<void> {
  using controllers = startControllers(cluster);
  let seen: number;
  do {
    seen = cluster.store.revision;
    await controllers.idle();
    await turn();
  } while (seen !== cluster.store.revision);
}

test('wherever the controllers are killed, a job counts every pod once, and no two pods that run share an address', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 12 }), fc.boolean(), async (kills, isIndexed) => {
      using cluster = await startMemoryCluster({ namespaces: ['test', 'kube-node-lease'] });
      for (let n = 0; n < 2; n++) await cluster.add(sandboxNode(`node-${n}`, n));
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'task:1' }] } };
      const spec = { completions: 4, parallelism: 2, template, ...(isIndexed && { completionMode: 'Indexed' }) };
      await cluster.add({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'task', namespace: 'test' }, spec });

      const containers = [{ name: 'c', image: 'web:1' }];
      for (let n = 0; n < 4; n++)
        await cluster.add({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `web-${n}`, namespace: 'test' }, spec: { containers } });

      for (const turns of kills) await runBriefly(cluster, turns);
      await runToEnd(cluster);

      const job = cluster.peek(jobs, 'test', 'task') as unknown as Job;
      assert.equal(job.status?.succeeded, 4);
      assert.equal(job.status?.failed, undefined);
      assert.ok(job.status?.conditions?.some(({ type }) => type === 'Complete'));
      const made = cluster.peekAll(pods, 'test') as unknown as Pod[];
      const running = made.filter(pod => pod.status?.phase === 'Running');
      assert.equal(made.length - running.length, 4);
      assert.equal(new Set(running.map(pod => pod.status?.podIP)).size, 4);
      assert.ok(made.every(pod => pod.metadata?.finalizers === undefined));
    }),
    { numRuns: 15 },
  );
});
