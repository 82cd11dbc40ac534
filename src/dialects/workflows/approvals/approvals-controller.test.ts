import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Namespace } from '../../../api/builtin-kinds.ts';
import { newObject } from '../../../api/define-kind.ts';
import { informer } from '../../../runtime/informer.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { ApprovalRequest } from '../kinds/approval-request.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { runApprovals } from './approvals-controller.ts';

const namespace = 'shop';

test('nobody is asked any more when the run is over, except by one that is about to be put back', async t => {
  const { client: hub } = await startMemoryHub(t, [ApprovalRequest, WorkflowRun]);
  const stop = new AbortController();
  t.after(() => stop.abort(new Error('the test is over')));
  const { signal } = stop;
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const ask = async (name: string, state: 'Run' | 'Rollback') => {
    const run = await hub.create(WorkflowRun, newObject(WorkflowRun, { namespace, name }, { workflowRef: { name: 'w' }, state }));
    const runRef = { name, uid: run.metadata.uid! };
    await hub.create(ApprovalRequest, newObject(ApprovalRequest, { namespace, name }, { runRef }));
  };
  await ask('left', 'Run');
  await ask('going-back', 'Rollback');
  runApprovals({ hub, requests: informer(hub, ApprovalRequest, { signal }), runs: informer(hub, WorkflowRun, { signal }), signal });
  const phaseOf = async (name: string) => (await hub.get(ApprovalRequest, { namespace, name }))?.status?.phase;
  const reaches = (name: string, phase: string) =>
    eventually(
      () => phaseOf(name),
      found => found === phase,
    );
  await Promise.all([reaches('left', 'Pending'), reaches('going-back', 'Pending')]);
  const finishedAt = new Date(Date.now() + 1000).toISOString();
  const end = (name: string, phase: 'Aborted' | 'RolledBack') =>
    hub.apply(WorkflowRun, { metadata: { namespace, name }, status: { phase, finishedAt } }, { subresource: 'status', fieldManager: 't' });
  await end('going-back', 'Aborted');
  await end('left', 'Aborted');
  await reaches('left', 'Superseded');
  assert.equal(await phaseOf('going-back'), 'Pending');
  await end('going-back', 'RolledBack');
  await reaches('going-back', 'Superseded');
});
