import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../../api/object.ts';
import { refOf } from '../../../core/delivery/object-ref.ts';
import { inDeletionOrder, sortObjects } from './sort-objects.ts';

// Section 5 of the specification, word for word.
const table =
  'Namespace, ResourceQuota, LimitRange, PodSecurityPolicy, Secret, ConfigMap, StorageClass, PersistentVolume, PersistentVolumeClaim, ServiceAccount, CustomResourceDefinition, ClusterRole, ClusterRoleBinding, Role, RoleBinding, Service, DaemonSet, Pod, ReplicationController, ReplicaSet, Deployment, DeploymentConfig, StatefulSet, Job, CronJob, Ingress, APIService'.split(
    ', ',
  );
const others = ['Certificate', 'HorizontalPodAutoscaler', 'VirtualService', 'Widget'];
const object = (kind: string, name: string): KubeObject => ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'a' } });

test('order_of_apply_matches_table', () => {
  const sorted = sortObjects([...table, ...others].toReversed().map(kind => object(kind, 'x')));
  assert.deepEqual(
    sorted.map(({ kind }) => kind),
    [...table, ...others],
  );
});

test('within a kind by name, whatever the case', () => {
  const sorted = sortObjects(['b', 'A', 'a-2', 'B', 'a'].map(name => object('Service', name)));
  assert.deepEqual(
    sorted.map(({ metadata }) => metadata.name!.toLowerCase()),
    ['a', 'a', 'a-2', 'b', 'b'],
  );
});

test('the order does not depend on where it began, and deletion is the reverse', () => {
  const kinds = fc.constantFrom(...table, ...others);
  const objects = fc.uniqueArray(fc.record({ kind: kinds, name: fc.constantFrom('a', 'b', 'c', 'D') }), {
    selector: ({ kind, name }) => `${kind}/${name}`,
    maxLength: 20,
  });
  fc.assert(
    fc.property(objects, fc.infiniteStream(fc.nat()), (list, dice) => {
      const made = list.map(({ kind, name }) => object(kind, name));
      const shuffled = made
        .map(obj => ({ obj, at: dice.next().value ?? 0 }))
        .sort((a, b) => a.at - b.at)
        .map(({ obj }) => obj);
      const sorted = sortObjects(made);
      assert.deepEqual(sortObjects(shuffled), sorted);
      assert.deepEqual(inDeletionOrder(shuffled.map(refOf)), sorted.map(refOf).reverse());
    }),
  );
});
