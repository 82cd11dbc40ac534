import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { selectClusters, selects, whyNotSelected } from './select-clusters.ts';

const labels = { tier: 'dev', zone: 'a' };

test('an empty selector matches nothing', () => {
  assert.equal(selects(undefined, labels), false);
  assert.equal(selects({}, labels), false);
  assert.equal(selects({ matchLabels: {}, matchExpressions: [] }, labels), false);
});

test('labels and expressions must all hold', () => {
  assert.equal(selects({ matchLabels: { tier: 'dev' } }, labels), true);
  assert.equal(selects({ matchLabels: { tier: 'dev', zone: 'b' } }, labels), false);
  assert.equal(selects({ matchLabels: { tier: 'dev' } }), false);
  const holds = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', key: string, values: string[] = []) =>
    selects({ matchLabels: { tier: 'dev' }, matchExpressions: [{ key, operator, values }] }, labels);
  assert.deepEqual([holds('In', 'zone', ['a', 'b']), holds('In', 'zone', ['b']), holds('In', 'none', ['a'])], [true, false, false]);
  assert.deepEqual([holds('NotIn', 'zone', ['a']), holds('NotIn', 'zone', ['b']), holds('NotIn', 'none', ['a'])], [false, true, true]);
  assert.deepEqual([holds('Exists', 'zone'), holds('Exists', 'none')], [true, false]);
  assert.deepEqual([holds('DoesNotExist', 'zone'), holds('DoesNotExist', 'none')], [false, true]);
});

test('clusters of all namespaces are selected, but none that is being deleted', () => {
  const mcs = newObject(MultiClusterService, { name: 'm' }, { clusterSelector: { matchLabels: { tier: 'dev' } } });
  const cd = (name: string, namespace: string, more: object = {}) =>
    newObject(ClusterDeployment, { name, namespace, labels, ...more }, { template: 't' });
  const all = [cd('a', 'kcm-system'), cd('b', 'team'), cd('c', 'team', { deletionTimestamp: '2026-01-01T00:00:00Z' })];
  assert.deepEqual(
    selectClusters(mcs, all, { clusterOf: () => undefined, isThere: () => false }).map(one => one.metadata.name),
    ['a', 'b'],
  );
});

test('what a cluster is not to have is told with the taint that keeps it away', () => {
  const mcs = newObject(MultiClusterService, { name: 'm' }, { clusterSelector: { matchLabels: { tier: 'dev' } } });
  const one = newObject(ClusterDeployment, { name: 'a', namespace: 'team', labels }, { template: 't' });
  const why = (effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule', isThere: boolean) =>
    whyNotSelected(mcs, one, {
      clusterOf: () => ({ spec: { connection: { mode: 'Sandbox' }, taints: [{ key: 'gpu', value: 'yes', effect }] } }),
      isThere: () => isThere,
    });
  assert.equal(why('NoSchedule', false), 'its taint "gpu=yes:NoSchedule" keeps away what is new');
  assert.equal(why('NoSchedule', true), undefined);
  assert.equal(why('NoExecute', true), 'its taint "gpu=yes:NoExecute" takes away what is placed on it');
  assert.equal(why('PreferNoSchedule', false), undefined);
});
