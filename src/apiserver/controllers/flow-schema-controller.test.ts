import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { flowSchemas, priorityLevels } from '../bootstrap/flow-control.ts';
import { ensureSystemObjects } from '../bootstrap/system-objects.ts';
import type { Cluster } from '../cluster.ts';
import { flowSchemaController } from './flow-schema-controller.ts';

interface WithConditions {
  status?: { conditions?: { type: string; status: string; reason?: string }[] };
}

const conditionOf = (cluster: Cluster, name: string) => {
  const found = (cluster.peek(flowSchemas, '', name) as WithConditions | undefined)?.status?.conditions?.[0];
  return found && `${found.type} ${found.status} ${found.reason}`;
};

test('a new cluster has the flows of the real server and a ready service CIDR', async () => {
  using cluster = await startMemoryCluster();
  await ensureSystemObjects(cluster);
  await ensureSystemObjects(cluster);
  assert.equal(cluster.count(flowSchemas), 11);
  assert.equal(cluster.count(priorityLevels), 8);
  const cidr = cluster.peek({ group: 'networking.k8s.io', resource: 'servicecidrs' }, '', 'kubernetes') as WithConditions | undefined;
  assert.deepEqual(
    cidr?.status?.conditions?.map(({ type, status }) => `${type} ${status}`),
    ['Ready True'],
  );
});

test('a flow schema dangles while its priority level does not exist', async () => {
  using cluster = await startMemoryCluster();
  await ensureSystemObjects(cluster);
  using controller = flowSchemaController(cluster);
  await controller.idle();
  assert.equal(conditionOf(cluster, 'service-accounts'), 'Dangling False Found');

  await cluster.delete(priorityLevels, { namespace: '', name: 'workload-low' });
  await controller.idle();
  assert.equal(conditionOf(cluster, 'service-accounts'), 'Dangling True NotFound');
});
