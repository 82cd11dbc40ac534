import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { newObject } from '../../api/define-kind.ts';
import { ClusterRun } from '../../dialects/workflows/kinds/cluster-run.ts';
import { WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { deliveryLabels } from '../../dialects/workflows/names.ts';
import { CommandError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { drawRun } from './draw-run.ts';
import { followRun } from './follow-run.ts';
import { judgeEnd } from './judge-end.ts';
import { viewOfRun } from './run-view.ts';
import { tellChanges } from './tell-changes.ts';

function recording(isTty: boolean): Terminal & { said: string } {
  return {
    said: '',
    env: {},
    signal: new AbortController().signal,
    isInterrupted: false,
    isErrorTty: isTty,
    isOutputTty: isTty,
    out(text) {
      this.said += text;
    },
    err() {},
  };
}

const title = 'workflowrun.delivery.drover.io/shop-1';
const key = { namespace: 'default', name: 'shop-1' };

async function startWorld(t: TestContext) {
  const { client } = await startMemoryHub(t, [WorkflowRun, ClusterRun]);
  const { metadata } = await client.create(WorkflowRun, newObject(WorkflowRun, key, { workflowRef: { name: 'shop' } }));
  return {
    client,
    setStatus: (status: object) => client.apply(WorkflowRun, { metadata: key, status } as WorkflowRun, { subresource: 'status' }),
    async setCluster(id: string, grant: number, status: 'Running' | 'Succeeded' | 'Failed', isLast = false) {
      const name = { namespace: 'default', name: `shop-1-${id}` };
      await client.apply(ClusterRun, {
        metadata: { ...name, labels: { [deliveryLabels.run]: 'shop-1' } },
        spec: {
          runRef: { name: 'shop-1', uid: metadata.uid! },
          cluster: { id, name: `cluster-${id}` },
          wave: 'all',
          grant: {
            id: grant,
            phase: 'Rolling',
            group: 'Deploy',
            step: 'Rollout Deployment',
            type: 'RollingDeploy',
            position: grant,
            isLast,
            attempt: 1,
          },
        },
      });
      await client.apply(ClusterRun, { metadata: name, status: { grant, step: { status } } } as ClusterRun, { subresource: 'status' });
    },
  };
}

const step = (name: string, status: string, extra: object = {}) => ({
  phase: 'Rolling',
  group: 'Deploy',
  name,
  type: name,
  status,
  ...extra,
});

test('a run is told line by line where nobody looks on, and the end is awaited', async t => {
  const { client, setStatus, setCluster } = await startWorld(t);
  const terminal = recording(false);
  const followed = followRun(client, { kind: WorkflowRun, ...key, title }, terminal);
  await eventually(() => terminal.said.includes('run: Queued'));
  await setStatus({ phase: 'Running', observedGeneration: 1, steps: [step('Resolve Clusters', 'Succeeded')] });
  await setCluster('a', 1, 'Running');
  await eventually(() => terminal.said.includes('cluster cluster-a: Rollout Deployment: Running'));
  await setCluster('a', 1, 'Succeeded', true);
  await eventually(() => terminal.said.includes('cluster cluster-a: Rollout Deployment: Succeeded'));
  await setStatus({
    phase: 'Succeeded',
    observedGeneration: 1,
    clusters: { total: 1, succeeded: 1 },
    steps: [step('Resolve Clusters', 'Succeeded')],
  });
  const ended = await followed;
  judgeEnd(ended, title, 'Succeeded');
  assert.deepEqual(terminal.said.trimEnd().split('\n').at(-1), 'run: Succeeded');
  assert.equal(terminal.said.match(/step Resolve Clusters: Succeeded/g)?.length, 1);
});

test('a person sees one picture that is drawn over itself', async t => {
  const { client, setStatus } = await startWorld(t);
  const terminal = recording(true);
  const followed = followRun(client, { kind: WorkflowRun, ...key, title }, terminal);
  await eventually(() => terminal.said.includes(`${title}: Queued`));
  await setStatus({ phase: 'Failed', observedGeneration: 1, message: 'No eligible cluster found after filtering' });
  const ended = await followed;
  assert.ok(terminal.said.includes('\u001b[1A'), JSON.stringify(terminal.said));
  assert.match(terminal.said, /: Failed\n\u001b\[2K  No eligible cluster found after filtering\n/);
  assert.throws(
    () => judgeEnd(ended, title, 'Succeeded'),
    (error: unknown) => error instanceof CommandError && error.exitCode === 1,
  );
});

test('a state that the hub has not looked at yet is not the end', async t => {
  const { client, setStatus } = await startWorld(t);
  await setStatus({ phase: 'Succeeded', observedGeneration: 1, clusters: { total: 1, succeeded: 1 } });
  await client.patch(WorkflowRun, key, { type: 'merge', body: { spec: { state: 'Rollback' } } });
  const followed = followRun(client, { kind: WorkflowRun, ...key, title }, recording(false));
  await setStatus({ phase: 'RolledBack', observedGeneration: 2, clusters: { total: 1, rolledBack: 1 } });
  judgeEnd(await followed, title, 'RolledBack');
});

test('who waits too long is told so, and the run goes on', async t => {
  const { client } = await startWorld(t);
  await assert.rejects(
    followRun(client, { kind: WorkflowRun, ...key, title }, recording(false), { timeoutMs: 50 }),
    (error: unknown) => error instanceof CommandError && error.exitCode === 4,
  );
});

test('a run that ends well but not everywhere is a failure of some', () => {
  const run = newObject(WorkflowRun, key, { workflowRef: { name: 'shop' } });
  const ended: WorkflowRun = { ...run, status: { phase: 'Succeeded', clusters: { total: 3, succeeded: 1, failed: 1, deferred: 1 } } };
  assert.throws(
    () => judgeEnd(ended, title, 'Succeeded'),
    (error: unknown) => error instanceof CommandError && error.exitCode === 5 && /1 failed, 1 catch up later/.test(error.message),
  );
});

test('what waits for somebody is said with the command that answers it', () => {
  const run = newObject(WorkflowRun, key, { workflowRef: { name: 'shop' } });
  const gates = [{ name: 'sign-off', type: 'Approval', phase: 'Running' as const, approvalRequest: 'shop-1-ab' }];
  const waiting: WorkflowRun = {
    ...run,
    status: { phase: 'Waiting', waves: [{ name: 'first', phase: 'Waiting', clusters: ['a'], gates }] },
  };
  const view = viewOfRun(waiting, [], title);
  assert.deepEqual(tellChanges(undefined, view), ['sign-off waits for somebody: drover approve shop-1-ab', 'run: Waiting']);
  assert.deepEqual(tellChanges(view, view), []);
  const probe = { name: 'probe', type: 'HTTP', phase: 'Running' as const, message: 'answered 503' };
  const wave = {
    name: 'first',
    phase: 'Waiting' as const,
    clusters: ['a'],
    gates: [{ ...gates[0]!, phase: 'Successful' as const }, probe],
  };
  const asking = viewOfRun({ ...run, status: { phase: 'Waiting', waves: [wave] } }, [], title);
  assert.deepEqual(tellChanges(view, asking), ['gate sign-off: Successful', 'gate probe: Running (answered 503)']);
  assert.match(drawRun(asking, { columns: 80, rows: 24 }).join('\n'), /▶ gate probe +Running +answered 503/);
});

test('of a thousand clusters a picture shows those that failed, and fits the screen', () => {
  const parts = Array.from({ length: 1000 }, (_, i) => ({
    name: `c${i}`,
    state: i === 777 ? 'Failed' : 'Pending',
    doing: '',
    message: 'x'.repeat(200),
  }));
  const lines = drawRun(
    { title, phase: 'Running', message: '', isOver: false, waves: [], gates: [], steps: [], parts, approvals: [] },
    { columns: 80, rows: 24 },
  );
  assert.ok(lines.length <= 24);
  assert.ok(lines.every(line => [...line].length <= 80));
  assert.match(lines[1]!, /c777 +Failed/);
  assert.match(lines.at(-1)!, /and \d+ more/);
});
