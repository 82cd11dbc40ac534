import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRun } from '../../../dialects/workflows/kinds/cluster-run.ts';
import type { WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';
import { runGrid } from './run-grid.ts';

const run = {
  status: {
    resolvedClusters: [
      { id: 'a', name: 'alpha' },
      { id: 'b', name: 'beta' },
      { id: 'c', name: 'gamma' },
    ],
    waves: [
      { name: 'first', phase: 'Running', clusters: ['a', 'b'] },
      { name: 'rest', phase: 'Pending', clusters: ['c'] },
    ],
    steps: [
      { phase: 'P', group: 'G', name: 'Resolve', type: 'ResolveClusters', status: 'Succeeded', id: 1, firstId: 1 },
      { phase: 'P', group: 'G', name: 'Deploy', type: 'RollingDeploy', status: 'Succeeded', wave: 'first', id: 3, firstId: 2 },
      { phase: 'P', group: 'G', name: 'Test', type: 'Http', status: 'Running', wave: 'first', id: 4, firstId: 4 },
    ],
  },
} as unknown as WorkflowRun;

const clusterRun = (id: string, grant: number, past: [number, string][], step?: object) =>
  ({
    spec: { cluster: { id, name: id }, grant: { id: grant, step: 'x' } },
    status: { phase: 'Running', grant, step, steps: past.map(([one, status]) => ({ grant: one, name: 'x', type: 'x', status })) },
  }) as unknown as ClusterRun;

test('steps by clusters, also of attempts that were repeated and of those that wait', () => {
  const grid = runGrid(run, [clusterRun('a', 4, [[3, 'Succeeded']], { status: 'Failed', message: 'no' }), clusterRun('b', 2, [])]);
  assert.deepEqual(
    grid.steps.map(({ key }) => key),
    ['P/Deploy', 'P/Test'],
  );
  assert.deepEqual(
    grid.common.map(({ name }) => name),
    ['Resolve'],
  );
  const text = grid.waves.flatMap(({ wave, rows }) =>
    rows.map(({ cluster, state, cells }) =>
      `${wave.name} ${cluster} ${state} ${[...cells].map(([key, { status }]) => `${key}=${status}`).join(' ')}`.trim(),
    ),
  );
  assert.deepEqual(text, [
    'first alpha Running P/Deploy=Succeeded P/Test=Failed',
    'first beta Running P/Deploy=Running',
    'rest gamma Pending',
  ]);
});
