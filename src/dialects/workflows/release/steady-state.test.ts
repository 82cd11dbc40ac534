import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../api/object.ts';
import { judgeSteady } from './steady-state.ts';

const options = { labelPrefix: 'harness.io', judge: (condition: string, response: string) => response.includes(condition) };
const state = (obj: KubeObject, manager?: string) => judgeSteady(obj, { ...options, manager }).state;
const object = (kind: string, spec: object, status: object, apiVersion = 'apps/v1'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', generation: 2 },
  spec,
  status: { observedGeneration: 2, ...status },
});

test('a Deployment is steady when all replicas are new and available, and no old one is left', () => {
  const fine = { replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  const of = (status: object) => state(object('Deployment', { replicas: 3 }, status));
  assert.equal(of(fine), 'steady');
  assert.equal(of({ ...fine, observedGeneration: 1 }), 'waiting');
  assert.equal(of({ ...fine, updatedReplicas: 2 }), 'waiting');
  assert.equal(of({ ...fine, replicas: 4 }), 'waiting');
  assert.equal(of({ ...fine, availableReplicas: 2 }), 'waiting');
  assert.equal(of({ conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] }), 'failed');
  assert.equal(state(object('Deployment', { replicas: 0 }, {})), 'steady');
});

test('what a rollout before this one came to does not count', () => {
  const stuck = {
    conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', lastUpdateTime: '2026-11-17T03:20:10Z' }],
  };
  const applied = (time: string, manager = 'drover', operation = 'Apply') => {
    const made = object('Deployment', { replicas: 3 }, stuck);
    return { ...made, metadata: { ...made.metadata, managedFields: [{ manager, operation, time }] } } as KubeObject;
  };
  assert.equal(state(applied('2026-11-17T03:20:11Z')), 'waiting');
  assert.equal(state(applied('2026-11-17T03:20:05Z')), 'failed');
  // By whatever name, and in whatever way, it was written.
  assert.equal(state(applied('2026-11-17T03:20:11Z', 'shipper'), 'shipper'), 'waiting');
  assert.equal(state(applied('2026-11-17T03:20:11Z', 'drover', 'Update')), 'waiting');
});

test('why no pods are made is told, and whether a rule of the member denies them', () => {
  const refused = (message: string, more: readonly object[] = []) =>
    judgeSteady(
      object(
        'Deployment',
        { replicas: 3 },
        { updatedReplicas: 0, conditions: [{ type: 'ReplicaFailure', status: 'True', message }, ...more] },
      ),
      options,
    );
  const quota = 'pods "web-1" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1';
  assert.deepEqual(refused(quota), {
    state: 'waiting',
    isDenied: true,
    message: `0 out of 3 new replicas have been updated: ${quota}`,
  });
  assert.equal(refused('Internal error occurred').isDenied, undefined);
  const late = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' };
  assert.deepEqual(refused(quota, [late]), { state: 'failed', isDenied: true, message: `timed out: ${quota}` });
});

test('a StatefulSet is steady when its pods are ready and of the new revision, as far as the partition goes', () => {
  const spec = (partition = 0) => ({ replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } });
  const fine = { readyReplicas: 3, updatedReplicas: 3, currentRevision: 'b', updateRevision: 'b' };
  const of = (status: object, partition = 0) => state(object('StatefulSet', spec(partition), status));
  assert.equal(of(fine), 'steady');
  assert.equal(of({ ...fine, currentRevision: 'a' }), 'waiting');
  assert.equal(of({ ...fine, readyReplicas: 2 }), 'waiting');
  assert.equal(of({ ...fine, updatedReplicas: 1, currentRevision: 'a' }, 2), 'steady');
  assert.equal(of({ ...fine, updatedReplicas: 0, currentRevision: 'a' }, 2), 'waiting');
  assert.equal(state(object('StatefulSet', { replicas: 0 }, {})), 'steady');
  assert.equal(state(object('StatefulSet', { replicas: 1, updateStrategy: { type: 'OnDelete' } }, { readyReplicas: 1 })), 'steady');
});

test('DaemonSets, Jobs and what has a condition of its own', () => {
  const daemons = { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 };
  assert.equal(state(object('DaemonSet', {}, daemons)), 'steady');
  assert.equal(state(object('DaemonSet', {}, { ...daemons, numberAvailable: 1 })), 'waiting');
  const job = (type: string) => state(object('Job', {}, { conditions: [{ type, status: 'True' }] }, 'batch/v1'));
  assert.deepEqual([job('Complete'), job('Failed'), job('Suspended')], ['steady', 'failed', 'waiting']);
  const custom = (status: object): KubeObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', annotations: { 'harness.io/steadyStateCondition': '"phase":"Up"' } },
    status,
  });
  assert.equal(state(custom({ phase: 'Up' })), 'steady');
  assert.equal(state(custom({ phase: 'Down' })), 'waiting');
});
