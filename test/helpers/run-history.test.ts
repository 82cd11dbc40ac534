import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment, Service } from '../../src/api/builtin-kinds.ts';
import type { KubeObject } from '../../src/api/object.ts';
import type { ClusterRun } from '../../src/dialects/workflows/kinds/cluster-run.ts';
import type { WorkflowRun } from '../../src/dialects/workflows/kinds/workflow-run.ts';
import { findBusy, findSkippedGates, findUnserved, type Happened } from './run-history.ts';

const happened = <T extends KubeObject>(...objects: unknown[]): Happened<T>[] =>
  objects.map((object, i) => ({ rv: i + 1, isGone: false, object: object as T }));

const service = (color: string) => ({ kind: 'Service', metadata: { name: 'web' }, spec: { selector: { color } } });
const deployment = (color: string, availableReplicas: number) => ({
  kind: 'Deployment',
  metadata: { name: `web-${color}` },
  spec: { template: { metadata: { labels: { color, app: 'web' } } } },
  status: { availableReplicas },
});
const part = (cluster: string, status: string, grant = { id: 2, type: 'RollingDeploy' }) => ({
  metadata: { name: `run-${cluster}` },
  spec: { runRef: { name: 'run', uid: 'u' }, wave: cluster === 'a' ? 'first' : 'rest', cluster: { name: cluster }, grant },
  status: { grant: grant.id, step: { status } },
});
const run = (phase: string | undefined) => ({
  metadata: { name: 'run', uid: 'u' },
  status: { waves: [{ name: 'first', ...(phase !== undefined && { gates: [{ name: 'well?', phase }] }) }, { name: 'rest' }] },
});

test('a Service that points to nobody is found, and one that waits for its first is not', () => {
  const find = (...objects: unknown[]) => findUnserved(happened<Service | Deployment>(...objects));
  assert.deepEqual(find(service('blue'), deployment('blue', 0), deployment('blue', 1), deployment('green', 1), service('green')), []);
  assert.deepEqual(find(deployment('blue', 1), service('blue'), service('green'), deployment('green', 1)), [3]);
  assert.deepEqual(find(deployment('blue', 1), service('blue'), deployment('blue', 0), deployment('blue', 1)), [3]);
});

test('clusters that are away together, and waves that did not wait for a gate, are found', () => {
  const parts = happened<ClusterRun>(part('a', 'Running'), part('a', 'Succeeded'), part('b', 'Running'), part('a', 'Running'));
  assert.deepEqual(findBusy(parts.slice(0, 3), 1), []);
  assert.deepEqual(findBusy(parts, 1), ['at 4 2 clusters of run are away']);

  const gates = (phase: string | undefined) => {
    const [known] = happened<WorkflowRun>(run(phase));
    return findSkippedGates([{ ...known!, rv: 0 }], parts).length;
  };
  assert.equal(gates('Successful'), 0);
  assert.equal(gates('Running'), 1);
  assert.equal(gates(undefined), 1);
  assert.equal(findSkippedGates([], parts).length, 4, 'of a run that nobody knows');
});
