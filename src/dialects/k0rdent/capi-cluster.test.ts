import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { capiClusterIn, capiClusterOf, capiClusterAnnotation, summariseCapi, type CapiView } from './capi-cluster.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';

const cluster = (version: string, status: object, more: object = {}): KubeObject =>
  ({
    apiVersion: `cluster.x-k8s.io/${version}`,
    kind: 'Cluster',
    metadata: { namespace: 'team', name: 'one', ...more },
    status,
  }) as KubeObject;
const all = [
  'InfrastructureReady',
  'ControlPlaneInitialized',
  'ControlPlaneAvailable',
  'ControlPlaneMachinesReady',
  'WorkersAvailable',
  'WorkerMachinesReady',
  'RemoteConnectionProbe',
];
const conditions = (but: Record<string, [string, string]> = {}) =>
  all.map(type => ({ type, status: but[type]?.[0] ?? 'True', reason: 'R', message: but[type]?.[1] ?? '' }));
const told = (view: Partial<CapiView>) => {
  const { status, reason, message } = summariseCapi({ cluster: undefined, before: undefined, isLeaving: false, ...view }) ?? {};
  return [status, reason, message];
};
const before = (reason: string) => ({ status: 'False' as const, reason, message: 'm' });

test('a Cluster is well when all its aspects are, and otherwise says which are not', () => {
  assert.deepEqual(told({ cluster: cluster('v1beta2', { conditions: conditions() }) }), ['True', 'InfoReported', '']);
  assert.deepEqual(told({ cluster: cluster('v1beta1', { v1beta2: { conditions: conditions() } }) }), ['True', 'InfoReported', '']);
  const failing = conditions({ WorkersAvailable: ['False', '0 of 1\nready'], RemoteConnectionProbe: ['Unknown', 'not yet'] });
  assert.deepEqual(told({ cluster: cluster('v1beta2', { conditions: failing }) }), [
    'False',
    'IssuesReported',
    'WorkersAvailable: 0 of 1 ready; RemoteConnectionProbe: not yet',
  ]);
});

test('what was not reported is unknown, and the older contract has other aspects', () => {
  const some = conditions().slice(0, 6);
  assert.deepEqual(told({ cluster: cluster('v1beta2', { conditions: some }) }), [
    'Unknown',
    'UnknownReported',
    'RemoteConnectionProbe: Condition not yet reported',
  ]);
  const older = ['Ready', 'InfrastructureReady', 'ControlPlaneInitialized', 'ControlPlaneReady'].map(type => ({ type, status: 'True' }));
  assert.deepEqual(told({ cluster: cluster('v1beta1', { conditions: older }) }), ['True', 'InfoReported', '']);
});

test('a Cluster that goes, that has gone and that is missing are three things', () => {
  const leaving = cluster(
    'v1beta2',
    { conditions: [{ type: 'Deleting', status: 'True', message: 'Deleting machines' }] },
    { deletionTimestamp: 't' },
  );
  assert.deepEqual(told({ cluster: leaving }), ['False', 'Deleting', 'Deleting machines']);
  assert.deepEqual(told({ before: before('Deleting') }), ['True', 'DeletionCompleted', 'Cluster was deleted']);
  assert.deepEqual(told({ before: before('IssuesReported') }), [
    'False',
    'CAPIClusterMissing',
    'Underlying CAPI Cluster object is missing',
  ]);
  assert.deepEqual(told({}), [undefined, undefined, undefined]);
});

test('the Cluster of a chart is one in the namespace of the ClusterDeployment, also when somebody writes another', () => {
  const objects = [cluster('v1beta2', {}, { namespace: 'other' }), cluster('v1beta1', {})];
  assert.equal(capiClusterIn(objects, 'team'), 'cluster.x-k8s.io/v1beta1 one');
  assert.equal(capiClusterIn(objects, 'nobody'), undefined);
  const cd = (value: string) =>
    ({ metadata: { namespace: 'team', annotations: { [capiClusterAnnotation]: value } } }) as unknown as ClusterDeployment;
  assert.deepEqual(capiClusterOf(cd('cluster.x-k8s.io/v1beta1 one')), {
    group: 'cluster.x-k8s.io',
    version: 'v1beta1',
    kind: 'Cluster',
    namespace: 'team',
    name: 'one',
  });
  assert.equal(capiClusterOf(cd('v1 one')), undefined);
  assert.equal(capiClusterOf({ metadata: {} } as ClusterDeployment), undefined);
});
