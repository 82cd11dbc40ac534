import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitClusters } from './fit-clusters.ts';
import type { MatchingCluster } from './kinds/multi-cluster-service.ts';

const entry = (i: number, deployed: boolean, message?: string): MatchingCluster => ({
  apiVersion: 'k0rdent.mirantis.com/v1beta1',
  kind: 'ClusterDeployment',
  namespace: 'kcm-system',
  name: `cluster-${String(i).padStart(5, '0')}`,
  regional: false,
  deployed,
  lastTransitionTime: '2026-01-02T03:04:05Z',
  ...(message !== undefined && { reason: 'Failed', message }),
});
const bytes = (clusters: readonly MatchingCluster[]) => Buffer.byteLength(JSON.stringify(clusters));
const limit = 1.2 * 1024 * 1024;

test('5,000 clusters are all listed, and fit into a request to etcd', () => {
  const clusters = Array.from({ length: 5_000 }, (_, i) => entry(i, true));
  assert.equal(fitClusters(clusters), clusters);
  assert.ok(bytes(clusters) < limit);
});

test('of more clusters than fit, those that are deployed are left out first', () => {
  const clusters = Array.from({ length: 20_000 }, (_, i) => entry(i, i % 10 !== 0));
  const fitting = fitClusters(clusters);
  assert.ok(bytes(fitting) < limit && bytes(fitting) > limit * 0.8);
  assert.equal(fitting.filter(one => !one.deployed).length, 2_000);
  assert.deepEqual(
    fitting,
    fitting.toSorted((a, b) => (a.name! < b.name! ? -1 : 1)),
  );
});

test('long messages are cut before clusters are left out', () => {
  const clusters = Array.from({ length: 3_000 }, (_, i) => entry(i, false, `ä${'x'.repeat(2_000)}`));
  const fitting = fitClusters(clusters);
  assert.equal(fitting.length, 3_000);
  assert.ok(bytes(fitting) < limit);
});
