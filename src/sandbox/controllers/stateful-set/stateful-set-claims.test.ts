import assert from 'node:assert/strict';
import test from 'node:test';
import type { StatefulSet } from '../../../api/kubernetes.ts';
import type { KubeObject, OwnerReference } from '../../../api/object.ts';
import { isManagedElsewhere, isStaleFor, ownersByPolicy } from './stateful-set-claims.ts';
import type { Stored } from '../stored-object.ts';

const set = (whenScaled: string, whenDeleted: string): Stored<StatefulSet> => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', uid: 'set-uid', creationTimestamp: '', resourceVersion: '1' },
  spec: { selector: {}, template: {}, persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } },
});
const pod = (isWanted: boolean) => ({ name: 'db-0', uid: 'pod-uid', isWanted });
const claim = (...ownerReferences: OwnerReference[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { ownerReferences },
});
const setRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'set-uid', controller: true, blockOwnerDeletion: true };
const podRef = { apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'pod-uid', controller: true, blockOwnerDeletion: true };
const foreignRef = { apiVersion: 'v1', kind: 'ConfigMap', name: 'boss', uid: 'x', controller: true };

const policies: [scaled: string, deleted: string, isWanted: boolean, owners: OwnerReference[]][] = [
  ['Retain', 'Retain', true, []],
  ['Retain', 'Retain', false, []],
  ['Retain', 'Delete', true, [setRef]],
  ['Retain', 'Delete', false, [setRef]],
  ['Delete', 'Retain', true, []],
  ['Delete', 'Retain', false, [podRef]],
  ['Delete', 'Delete', true, [setRef]],
  ['Delete', 'Delete', false, [podRef]],
];
for (const [whenScaled, whenDeleted, isWanted, owners] of policies)
  test(`${whenScaled} when scaled, ${whenDeleted} when deleted, pod ${isWanted ? 'wanted' : 'surplus'}`, () => {
    for (const before of [[], [setRef], [podRef], [setRef, podRef]]) {
      const next = ownersByPolicy(claim(...before), set(whenScaled, whenDeleted), pod(isWanted)) ?? before;
      assert.deepEqual(next, owners);
      assert.equal(ownersByPolicy(claim(...next), set(whenScaled, whenDeleted), pod(isWanted)), undefined);
    }
  });

test('a claim that another controller manages is left to it', () => {
  const both = set('Delete', 'Delete');
  assert.equal(isManagedElsewhere(claim(foreignRef), both, pod(true)), true);
  assert.equal(ownersByPolicy(claim(foreignRef), both, pod(true)), undefined);
  assert.deepEqual(ownersByPolicy(claim(foreignRef, setRef), both, pod(true)), [foreignRef]);
});

test('a claim of an earlier pod of the same name is stale', () => {
  assert.equal(isStaleFor(claim({ ...podRef, uid: 'earlier' }), pod(true)), true);
  assert.equal(ownersByPolicy(claim({ ...podRef, uid: 'earlier' }), set('Delete', 'Delete'), pod(true)), undefined);
});
