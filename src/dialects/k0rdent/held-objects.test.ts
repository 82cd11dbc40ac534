import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { Namespace } from '../../api/builtin-kinds.ts';
import { defineKind } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { anyObject } from '../../api/schema.ts';
import { openMember } from '../../core/delivery/member.ts';
import { capiClusterAnnotation } from './capi-cluster.ts';
import { heldObjectsAnnotation, heldObjectsIn, heldObjectsOf, releaseHeldObjects } from './held-objects.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers } from './kinds/group.ts';

const namespace = 'team';
const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const deployment = (held: string) =>
  ({
    metadata: {
      namespace,
      name: 'one',
      annotations: { [heldObjectsAnnotation]: held, [capiClusterAnnotation]: 'cluster.x-k8s.io/v1beta2 one' },
    },
  }) as unknown as ClusterDeployment;
const made = (apiVersion: string, metadata: object): KubeObject =>
  ({ apiVersion, kind: 'DemoCluster', metadata: { namespace, name: 'one', ...metadata } }) as KubeObject;
const finalizers = [k0rdentFinalizers.cleanup];

test('what a chart holds back is of Cluster API and in the namespace, also when somebody writes something else', () => {
  const objects = [
    made(infrastructure, { finalizers }),
    made(infrastructure, { name: 'free' }),
    made(infrastructure, { name: 'elsewhere', namespace: 'other', finalizers }),
    made('example.com/v1', { name: 'foreign', finalizers }),
  ];
  const text = heldObjectsIn(objects, namespace);
  assert.equal(text, `${infrastructure} DemoCluster one`);
  assert.deepEqual(heldObjectsOf(deployment(text)), [
    { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta2', kind: 'DemoCluster', namespace, name: 'one' },
  ]);
  assert.equal(heldObjectsIn(objects.slice(1), namespace), undefined);
  assert.deepEqual(heldObjectsOf(deployment('v1 Secret one,evilcluster.x-k8s.io/v1 Thing one,nonsense,')), []);
});

const any = { spec: anyObject('Anything.'), scope: 'Namespaced', version: 'v1beta2', description: 'Of a test.' } as const;
const DemoCluster = defineKind({ ...any, group: 'infrastructure.cluster.x-k8s.io', kind: 'DemoCluster', plural: 'democlusters' });
const Machine = defineKind({ ...any, group: 'cluster.x-k8s.io', kind: 'Machine', plural: 'machines' });

test('infrastructure stays until it is to go and no Machines are left', async t => {
  const { client: hub } = await startMemoryHub(t, [DemoCluster, Machine]);
  const { signal } = new AbortController();
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const machine = { namespace, name: 'm', labels: { 'cluster.x-k8s.io/cluster-name': 'one' } };
  await hub.apply(Machine, { metadata: machine, spec: {} });
  const key = { namespace, name: 'one' };
  const begin = () => hub.apply(DemoCluster, { metadata: { ...key, finalizers: [...finalizers, 'example.com/other'] }, spec: {} });
  const held = async () => (await hub.get(DemoCluster, key))?.metadata.finalizers;
  const deps = { hub, hubObjects: openMember('hub', hub, { signal }) };
  const release = (more: { isUninstalled?: boolean; isHurried?: boolean } = {}) =>
    releaseHeldObjects(deployment(`${infrastructure} DemoCluster one`), deps, {
      read: () => hub.get(DemoCluster, key),
      isUninstalled: false,
      isHurried: false,
      signal,
      ...more,
    });

  assert.deepEqual(await release(), [], 'one that is not there holds nothing');
  await begin();
  await release({ isHurried: true });
  assert.deepEqual(await held(), ['example.com/other'], 'whoever is in a hurry does not wait for Machines');
  await begin();
  await hub.delete(DemoCluster, key);
  assert.deepEqual(await release(), ['DemoCluster team/one']);
  assert.deepEqual(await release({ isUninstalled: true }), ['DemoCluster team/one']);
  assert.ok((await held())?.includes(k0rdentFinalizers.cleanup));
  await hub.delete(Machine, machine);
  assert.deepEqual(await release(), []);
  assert.deepEqual(await held(), ['example.com/other'], "others' finalizers are theirs");
});

test('infrastructure that nobody deletes yet is held even without Machines: some may come', async t => {
  const { client: hub } = await startMemoryHub(t, [DemoCluster, Machine]);
  const { signal } = new AbortController();
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const key = { namespace, name: 'one' };
  await hub.apply(DemoCluster, { metadata: { ...key, finalizers }, spec: {} });
  const deps = { hub, hubObjects: openMember('hub', hub, { signal }) };
  const options = { read: () => hub.get(DemoCluster, key), isHurried: false, signal };
  const cd = deployment(`${infrastructure} DemoCluster one`);
  assert.deepEqual(await releaseHeldObjects(cd, deps, { ...options, isUninstalled: false }), ['DemoCluster team/one']);
  assert.deepEqual(await releaseHeldObjects(cd, deps, { ...options, isUninstalled: true }), []);
  assert.deepEqual((await hub.get(DemoCluster, key))?.metadata.finalizers ?? [], []);
});
