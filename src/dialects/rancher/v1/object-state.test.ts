import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../api/object.ts';
import { objectState } from './object-state.ts';

const object = (kind: string, more: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'one', generation: 2, ...metadata },
  ...more,
});

const cases: readonly [string, KubeObject, string, boolean, boolean][] = [
  ['what says nothing is active', object('ConfigMap'), 'active', false, false],
  ['what goes away is being removed', object('Pod', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), 'removing', false, true],
  ['a pod that runs', object('Pod', { status: { phase: 'Running' } }), 'running', false, false],
  ['a pod that nobody has placed', object('Pod', {}), 'pending', false, true],
  [
    'a pod that cannot get its image',
    object('Pod', { status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] } }),
    'imagepullbackoff',
    true,
    false,
  ],
  [
    'a Deployment with all its copies',
    object('Deployment', { spec: { replicas: 2 }, status: { observedGeneration: 2, updatedReplicas: 2, readyReplicas: 2 } }),
    'active',
    false,
    false,
  ],
  [
    'a Deployment whose change was not seen yet',
    object('Deployment', { spec: { replicas: 2 }, status: { observedGeneration: 1, updatedReplicas: 2, readyReplicas: 2 } }),
    'updating',
    false,
    true,
  ],
  [
    'a Deployment that does not get on',
    object('Deployment', { spec: {}, status: { conditions: [{ type: 'Progressing', status: 'False', message: 'no' }] } }),
    'error',
    true,
    false,
  ],
  ['a DaemonSet without nodes', object('DaemonSet', { status: { observedGeneration: 2 } }), 'active', false, false],
  ['a claim without a volume', object('PersistentVolumeClaim', { status: { phase: 'Pending' } }), 'pending', false, true],
  ['a claim with one', object('PersistentVolumeClaim', { status: { phase: 'Bound' } }), 'bound', false, false],
  ['what is not ready', object('Cluster', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }), 'in-progress', false, true],
  ['what a person must mend', object('Cluster', { status: { conditions: [{ type: 'Stalled', status: 'True' }] } }), 'stalled', true, false],
  ['a Job that has ended', object('Job', { status: { conditions: [{ type: 'Complete', status: 'True' }] } }), 'succeeded', false, false],
];

for (const [what, obj, name, error, transitioning] of cases)
  test(`state: ${what}`, () => {
    const state = objectState(obj);
    assert.deepEqual({ name: state.name, error: state.error, transitioning: state.transitioning }, { name, error, transitioning });
  });

test('kinds of Rancher say what Rancher says of them', () => {
  const cluster = object('Cluster', { status: { conditions: [{ type: 'Waiting', status: 'Unknown', message: 'not yet' }] } });
  const state = objectState({ ...cluster, apiVersion: 'management.cattle.io/v3' });
  assert.deepEqual(state, { name: 'waiting', error: false, transitioning: true, message: 'not yet' });
});

test('what goes away says what it waits for', () => {
  const leaving = object('Namespace', {}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['kubernetes'] });
  assert.equal(objectState(leaving).message, 'waiting on kubernetes');
});
