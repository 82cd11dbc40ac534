import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { keepOfCluster, shareApiResources } from './share-api-resources.ts';

const kinds = () => [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }];

test('clusters that serve the same kinds hold one list', () => {
  const cluster = (name: string) => ({
    ...newObject(Cluster, { name }, { connection: { mode: 'Sandbox' } }),
    status: { id: name, apiResources: kinds() },
  });
  const [a, b] = [keepOfCluster(cluster('a')), keepOfCluster(cluster('b'))];
  assert.equal(a.status?.apiResources, b.status?.apiResources);
  assert.deepEqual(a, cluster('a'));
});

test('lists that differ stay apart', () => {
  assert.notEqual(shareApiResources(kinds()), shareApiResources([]));
});
