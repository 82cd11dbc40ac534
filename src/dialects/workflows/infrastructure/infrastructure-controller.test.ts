import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { makeShop, shop } from '../../../../test/helpers/workflow-objects.ts';
import { Cluster } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import { newObject } from '../../../api/define-kind.ts';
import { clusterIndexes } from '../../../core/clusters/cluster-indexes.ts';
import { informer } from '../../../runtime/informer.ts';
import { CloudProvider } from '../kinds/cloud-provider.ts';
import { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { runProviders } from '../providers/run-providers.ts';
import { workflowKinds } from '../workflow-kinds.ts';
import { runInfrastructures } from './infrastructure-controller.ts';

test('which clusters would be chosen is there to be seen, and follows them', async t => {
  const { client: hub } = await startMemoryHub(t, [Cluster, ...workflowKinds]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  await makeShop(hub, {
    infrastructure: { allowAllClusters: false, clusterSelectionCriteria: [{ labelName: 'env', labelValues: 'prod, qa' }] },
  });
  const clusters = informer(hub, Cluster, { signal, indexes: clusterIndexes });
  const providers = informer(hub, CloudProvider, { signal });
  const infrastructures = informer(hub, InfrastructureDefinition, { signal });
  const { clustersOf } = runProviders({ hub, providers, clusters, signal });
  const running = runInfrastructures({ hub, infrastructures, providers, clusters, clustersOf, signal });
  const get = async () => (await hub.get(InfrastructureDefinition, { namespace: shop, name: 'all' }))!;
  const until = (isSo: (status: NonNullable<InfrastructureDefinition['status']>) => boolean) =>
    eventually(get, one => one.status !== undefined && isSo(one.status));
  const add = (name: string, env: string) =>
    hub.create(Cluster, newObject(Cluster, { name, labels: { env } }, { connection: { mode: 'Direct', server: 'https://x.example' } }));
  const none = await until(one => one.matchedCount === 0);
  assert.equal(findCondition(none, 'Resolved')?.message, 'No eligible cluster found after filtering');

  await add('east', 'prod');
  await add('west', 'qa');
  await add('other', 'dev');
  const found = await until(one => one.matchedCount === 2);
  assert.deepEqual(
    found.status?.matched?.map(one => [one.name, one.ready]),
    [
      ['east', false],
      ['west', false],
    ],
  );
  const ready = { type: 'Ready', status: 'True', reason: 'Answering', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await hub.patch(Cluster, { name: 'west' }, { type: 'merge', body: { status: { conditions: [ready] } } }, { subresource: 'status' });
  await until(one => one.matched?.[1]?.ready === true);
  await hub.patch(Cluster, { name: 'east' }, { type: 'merge', body: { metadata: { labels: { env: 'dev' } } } });
  await until(one => one.matchedCount === 1);

  // A hub that began anew has asked nobody yet, and nobody has left for that.
  const restarted = runInfrastructures({ hub, infrastructures, providers, clusters, clustersOf: () => undefined, signal });
  await restarted.idle();
  assert.equal((await get()).status?.matchedCount, 1);

  const spec = (body: object) =>
    hub.patch(InfrastructureDefinition, { namespace: shop, name: 'all' }, { type: 'merge', body: { spec: body } as never });
  await spec({ clusterSelectionCriteria: [{ labelName: 'env', labelValues: '${workflow.variables.env}' }] });
  const unknown = await until(one => one.conditions?.[0]?.reason === 'UnresolvedExpression');
  assert.deepEqual(
    [findCondition(unknown, 'Resolved')?.status, findCondition(unknown, 'Resolved')?.message],
    ['Unknown', '${workflow.variables.env} is known when a run begins'],
  );
  await spec({ cloudProviderRef: 'gone' });
  await until(one => one.conditions?.[0]?.reason === 'NotFound');
  await running.idle();
  const { results } = running.stats;
  assert.equal(results.failed, 0);
});
