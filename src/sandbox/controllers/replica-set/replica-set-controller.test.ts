import assert from 'node:assert/strict';
import test from 'node:test';
import type { Pod, ReplicaSet, ReplicationController } from '../../../api/kubernetes.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { podTemplate, startWorkloadRig } from '../../../../test/helpers/workload-rig.ts';
import { replicaSetController, replicationController } from './replica-set-controller.ts';

const podKind = { apiVersion: 'v1', kind: 'Pod' };
const replicaSetKind = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
const controllers = [replicaSetController, replicationController];

const replicaSet = (replicas: number, more: object = {}) => ({
  ...replicaSetKind,
  metadata: { name: 'web' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: podTemplate({ app: 'web', tier: 'front' }), ...more },
});
const loosePod = (name: string, labels: Record<string, string>) => ({
  ...podKind,
  metadata: { name, labels },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
});
const names = (list: Pod[]) => list.map(pod => pod.metadata?.name).toSorted();

test('creates the pods that are missing and counts them', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  await rig.apply(replicaSet(3));
  await rig.settle();

  const made = rig.list<Pod>(podKind);
  assert.equal(made.length, 3);
  const { metadata } = made[0]!;
  assert.match(metadata?.name ?? '', /^web-[a-z0-9]{5}$/);
  assert.deepEqual(metadata?.labels, { app: 'web', tier: 'front' });
  assert.equal(metadata?.ownerReferences?.[0]?.controller, true);
  assert.deepEqual(rig.get<ReplicaSet>(replicaSetKind, 'web')?.status, {
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    observedGeneration: 1,
    terminatingReplicas: 0,
  });
  assert.deepEqual(
    rig.events('web').toSorted(),
    names(made).map(name => `SuccessfulCreate: Created pod: ${name}`),
  );
  assert.deepEqual(rig.problems, []);
});

test('replaces a pod that is gone and deletes the surplus', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  await rig.apply(replicaSet(2));
  await rig.settle();
  const [first] = rig.list<Pod>(podKind);

  await rig.cluster.remove(first as never);
  await rig.settle();
  assert.equal(rig.list(podKind).length, 2);

  await rig.change(replicaSetKind, 'web', { spec: { replicas: 0 } });
  await rig.settle();
  assert.equal(rig.list(podKind).length, 0);
  assert.equal(rig.get<ReplicaSet>(replicaSetKind, 'web')?.status?.observedGeneration, 2);
});

test('adopts orphans that match and releases pods that stop matching', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  await rig.apply(loosePod('stray', { app: 'web' }));
  await rig.apply(replicaSet(1));
  await rig.settle();
  assert.deepEqual(names(rig.list<Pod>(podKind)), ['stray']);
  assert.equal(rig.get<Pod>(podKind, 'stray')?.metadata?.ownerReferences?.[0]?.name, 'web');
  assert.equal(rig.get<ReplicaSet>(replicaSetKind, 'web')?.status?.fullyLabeledReplicas, undefined);

  await rig.change(podKind, 'stray', { metadata: { labels: { app: 'else' } } });
  await rig.settle();
  assert.equal(rig.get<Pod>(podKind, 'stray')?.metadata?.ownerReferences, undefined);
  assert.equal(rig.list(podKind).length, 2);
});

test('takes over an orphan as soon as its labels match', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  await rig.apply(replicaSet(1));
  await rig.settle();
  await rig.apply(loosePod('late', { app: 'else' }));
  await rig.settle();
  await rig.change(podKind, 'late', { metadata: { labels: { app: 'web' } } });
  await rig.settle();
  assert.equal(rig.list(podKind).length, 1);
});

test('a pod is available only after minReadySeconds', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  await rig.apply(replicaSet(1, { minReadySeconds: 60 }));
  await rig.settle();
  const status = () => rig.get<ReplicaSet>(replicaSetKind, 'web')?.status;
  assert.equal(status()?.readyReplicas, 1);
  assert.equal(status()?.availableReplicas, undefined);

  rig.moveClock(61);
  await rig.change(replicaSetKind, 'web', { metadata: { labels: { look: 'again' } } });
  await rig.settle();
  assert.equal(status()?.availableReplicas, 1);
});

test('says why pods cannot be created, and no longer once they can', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  let isRefusing = true;
  rig.cluster.plugins = [
    {
      name: 'refuse',
      handles: ({ resource, operation }) => isRefusing && resource.resource === 'pods' && operation === 'CREATE',
      validate: () => Promise.reject(new Error('no room')),
    },
  ];
  await rig.apply(replicaSet(2));
  const condition = () => rig.get<ReplicaSet>(replicaSetKind, 'web')?.status?.conditions?.[0];
  await eventually(condition);
  assert.deepEqual(
    { ...condition(), lastTransitionTime: '' },
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no room', lastTransitionTime: '' },
  );

  isRefusing = false;
  await rig.settle();
  assert.equal(condition(), undefined);
  assert.equal(rig.list(podKind).length, 2);
  assert.ok(rig.events('web').includes('FailedCreate: Error creating: no room'));
});

test('counts pods that are about to end', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  const template = podTemplate({ app: 'web' });
  await rig.apply(replicaSet(1, { template: { ...template, metadata: { labels: { app: 'web' }, finalizers: ['test.drover.io/stay'] } } }));
  await rig.settle();
  await rig.change(replicaSetKind, 'web', { spec: { replicas: 0 } });
  await rig.settle();
  assert.equal(rig.get<ReplicaSet>(replicaSetKind, 'web')?.status?.terminatingReplicas, 1);
  assert.equal(rig.get<ReplicaSet>(replicaSetKind, 'web')?.status?.replicas, 0);
});

test('a deleted owner orphans its pods or takes them along', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  await rig.apply(replicaSet(2));
  await rig.settle();
  await rig.cluster.delete(rig.cluster.resourceOf(replicaSetKind), { namespace: 'test', name: 'web' }, { propagationPolicy: 'Orphan' });
  await rig.settle();
  assert.equal(rig.list<Pod>(podKind).filter(pod => !pod.metadata?.ownerReferences).length, 2);

  await rig.apply(replicaSet(2));
  await rig.settle();
  assert.equal(rig.list(podKind).length, 2);
  await rig.cluster.delete(rig.cluster.resourceOf(replicaSetKind), { namespace: 'test', name: 'web' }, { propagationPolicy: 'Foreground' });
  await rig.settle();
  assert.equal(rig.list(podKind).length, 0);
  assert.equal(rig.get(replicaSetKind, 'web'), undefined);
});

test('a ReplicationController does the same in its own words', async t => {
  const rig = await startWorkloadRig(t, { controllers });
  const kind = { apiVersion: 'v1', kind: 'ReplicationController' };
  await rig.apply({
    ...kind,
    metadata: { name: 'rc' },
    spec: { replicas: 2, selector: { app: 'rc' }, template: podTemplate({ app: 'rc' }) },
  });
  await rig.settle();
  assert.equal(rig.list<Pod>(podKind)[0]?.metadata?.ownerReferences?.[0]?.kind, 'ReplicationController');
  assert.deepEqual(rig.get<ReplicationController>(kind, 'rc')?.status, {
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
});
