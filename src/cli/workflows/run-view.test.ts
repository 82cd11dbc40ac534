import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { ClusterRun } from '../../dialects/workflows/kinds/cluster-run.ts';
import { WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { viewOfRun } from './run-view.ts';
import { tellChanges } from './tell-changes.ts';

test('who follows a run hears what it waits for, and what is in the way of a cluster', () => {
  const gate = { name: 'Meet', type: 'Barrier', phase: 'Running' as const, message: 'At barrier "db", waiting for run "b"' };
  const step = { phase: 'p', group: 'g', name: 'Meet', type: 'Barrier', status: 'Waiting' as const, gate };
  const run = {
    ...newObject(WorkflowRun, { name: 'r' }, { workflowRef: { name: 'w' } }),
    status: { phase: 'Waiting' as const, steps: [step] },
  };
  const grant = { id: 2, phase: 'p', group: 'g', step: 'Rollout', type: 'RollingDeploy', position: 1, attempt: 1 };
  const spec = { runRef: { name: 'r', uid: 'u' }, cluster: { id: 'c1', name: 'east' }, wave: 'all', grant };
  const partOf = (id: number) => ({
    ...newObject(ClusterRun, { name: 'r-c1' }, spec),
    status: {
      grant: 2,
      step: { status: 'Running' as const },
      checkpoint: { grant: id, half: 'begin' as const, message: 'exceeded quota: small' },
    },
  });
  assert.deepEqual(tellChanges(undefined, viewOfRun(run, [partOf(2)], 'r')), [
    'step Meet: Waiting (At barrier "db", waiting for run "b")',
    'cluster east: Rollout: Running (exceeded quota: small)',
    'run: Waiting',
  ]);
  // Of a step before it, or one that is over, it is told otherwise.
  assert.equal(viewOfRun(run, [partOf(1)], 'r').parts[0]?.message, '');
  const over = { ...run, status: { ...run.status, steps: [{ ...step, status: 'Succeeded' as const }] } };
  assert.equal(viewOfRun(over, [], 'r').steps[0]?.message, '');
});
