import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startEitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';
import { infrastructure, startWorkflowStory, workflow } from '../helpers/workflow-story.ts';

const isGate = process.env['DROVER_GATE'] === 'true';
const skip = isGate ? 'takes minutes: npm run test:stories runs it' : (missingRig('kubectl') ?? false);
/** The embedded hub needs none. */
const noEtcd = undefined as never;
const count = 500;
/** Of the whole hub, which holds the clusters as well. */
const limitMib = 2048;

const residentMib = (pid: number): number =>
  Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

test('500_clusters_single_run_under_memory_limit', { skip, timeout: 600_000 }, async () => {
  using scratch = scratchDir('workflow-many');
  await using hub = await startEitherHub('embedded', noEtcd, ['--sandbox', String(count)]);
  const story = await startWorkflowStory(hub, scratch.dir);
  await story.kubectl.expect('label clusters.drover.io --all kind=sandbox mood=run', { timeoutMs: 120_000 });
  await story.kubectl.expect('wait --for=condition=Ready clusters.drover.io --all --timeout=200s', { timeoutMs: 220_000 });
  await story.apply(infrastructure('all', { kind: 'sandbox' }), workflow('many', 'all'));
  let most = 0;
  await story.start('many-1', 'many');
  const { status } = (await eventually(
    async () => {
      most = Math.max(most, residentMib(hub.program.pid));
      return story.run('many-1');
    },
    run => run?.status?.finishedAt !== undefined,
    { timeoutMs: 200_000, everyMs: 500, what: 'the end of the run' },
  ))!;
  assert.deepEqual([status?.phase, status?.clusters?.succeeded], ['Succeeded', count]);
  assert.ok(most < limitMib, `${most.toFixed(0)} MiB`);
  // Every cluster has said what it did.
  const said = await story.drover.expect('logs run/many-1 -n shop', { timeoutMs: 60_000 });
  assert.equal(said.match(/Deployment\/web applied/g)?.length ?? 0, count);
});
