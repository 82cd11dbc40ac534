import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '../../../api/kubernetes.ts';
import { podTemplate, startWorkloadRig, type WorkloadRigOptions } from '../../../../test/helpers/workload-rig.ts';
import { statefulSetController } from './stateful-set-controller.ts';

const podKind = { apiVersion: 'v1', kind: 'Pod' };
const claimKind = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
const revisionKind = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };
const setKind = { apiVersion: 'apps/v1', kind: 'StatefulSet' };

const statefulSet = (replicas: number, more: object = {}) => ({
  ...setKind,
  metadata: { name: 'db' },
  spec: { replicas, serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template: podTemplate({ app: 'db' }), ...more },
});
const dataClaim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

async function start(t: TestContext, options: Partial<WorkloadRigOptions> = {}) {
  const rig = await startWorkloadRig(t, { controllers: [statefulSetController], ...options });
  const order: string[] = [];
  rig.cluster.subscribe(({ type, resource, name }) => {
    if (resource.resource === 'pods' && type !== 'MODIFIED') order.push(`${type === 'ADDED' ? '+' : '-'}${name}`);
  });
  return {
    ...rig,
    /** Pods as they came and went. */
    order: () => order.splice(0),
    status: () => rig.get<StatefulSet>(setKind, 'db')!.status!,
    pod: (name: string) => rig.get<Pod>(podKind, name),
    change: (spec: object) => rig.change(setKind, 'db', { spec }),
    setImage: (image: string) => rig.change(setKind, 'db', { spec: { template: podTemplate({ app: 'db' }, image) } }),
    images: () => rig.list<Pod>(podKind).map(pod => `${pod.metadata?.name} ${pod.spec?.containers[0]?.image}`),
    claims: () => rig.list<PersistentVolumeClaim>(claimKind).map(claim => claim.metadata?.name),
    remove: (name: string) => rig.cluster.delete(rig.cluster.resourceOf(podKind), { namespace: 'test', name }),
  };
}

test('starts pods in order, each when the one before is ready', async t => {
  const rig = await start(t);
  await rig.apply(statefulSet(3, { volumeClaimTemplates: [dataClaim] }));
  await rig.settle();

  assert.deepEqual(rig.order(), ['+db-0', '+db-1', '+db-2']);
  const revision = rig.status().currentRevision ?? '';
  assert.match(revision, /^db-[a-z0-9]+$/);
  assert.deepEqual(rig.status(), {
    observedGeneration: 1,
    replicas: 3,
    readyReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    availableReplicas: 3,
    currentRevision: revision,
    updateRevision: revision,
    collisionCount: 0,
  });
  const pod = rig.pod('db-1')!;
  assert.deepEqual(pod.metadata?.labels, {
    app: 'db',
    'apps.kubernetes.io/pod-index': '1',
    'statefulset.kubernetes.io/pod-name': 'db-1',
    'controller-revision-hash': revision,
  });
  assert.equal(pod.spec?.hostname, 'db-1');
  assert.equal(pod.spec.subdomain, 'db');
  assert.deepEqual(pod.spec.volumes, [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }]);
  assert.deepEqual(rig.claims(), ['data-db-0', 'data-db-1', 'data-db-2']);
  assert.deepEqual(rig.events('db').slice(0, 2), [
    'SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db success',
    'SuccessfulCreate: Create Pod db-0 in StatefulSet db successful',
  ]);
  assert.deepEqual(rig.problems, []);
});

test('waits for a pod that is not ready, up and down', async t => {
  const rig = await start(t, { becomesReady: pod => pod.metadata.name !== 'db-1' });
  await rig.apply(statefulSet(3));
  await rig.settle();
  assert.deepEqual(rig.order(), ['+db-0', '+db-1']);
  await rig.setReady('db-1', true);
  await rig.settle();
  assert.deepEqual(rig.order(), ['+db-2']);

  await rig.setReady('db-0', false);
  await rig.change({ replicas: 1 });
  await rig.settle();
  assert.deepEqual(rig.order(), []);
  await rig.setReady('db-0', true);
  await rig.settle();
  assert.deepEqual(rig.order(), ['-db-2', '-db-1']);
});

test('in parallel it waits for nobody', async t => {
  const rig = await start(t, { becomesReady: () => false });
  await rig.apply(statefulSet(3, { podManagementPolicy: 'Parallel' }));
  await rig.settle();
  assert.deepEqual(rig.order().toSorted(), ['+db-0', '+db-1', '+db-2']);
  await rig.change({ replicas: 0 });
  await rig.settle();
  assert.deepEqual(rig.order().toSorted(), ['-db-0', '-db-1', '-db-2']);
});

test('updates from the last pod to the first and keeps history', async t => {
  const rig = await start(t);
  await rig.apply(statefulSet(2));
  await rig.settle();
  const before = rig.status().currentRevision;
  rig.order();
  await rig.setImage('web:2');
  await rig.settle();
  assert.deepEqual(rig.order(), ['-db-1', '+db-1', '-db-0', '+db-0']);
  assert.deepEqual(rig.images(), ['db-0 web:2', 'db-1 web:2']);
  assert.notEqual(rig.status().currentRevision, before);
  assert.equal(rig.status().currentRevision, rig.status().updateRevision);
  assert.deepEqual(
    rig
      .list<ControllerRevision>(revisionKind)
      .map(r => r.revision)
      .toSorted(),
    [1, 2],
  );

  await rig.setImage('web:1');
  await rig.settle();
  assert.equal(rig.status().currentRevision, before);
  assert.deepEqual(
    rig
      .list<ControllerRevision>(revisionKind)
      .map(r => r.revision)
      .toSorted(),
    [2, 3],
  );
});

test('a partition holds the lower pods at the old revision, also when they are replaced', async t => {
  const rig = await start(t);
  await rig.apply(statefulSet(3, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }));
  await rig.settle();
  await rig.setImage('web:2');
  await rig.settle();
  await rig.remove('db-0');
  await rig.settle();
  assert.deepEqual(rig.images(), ['db-0 web:1', 'db-1 web:1', 'db-2 web:2']);
  assert.notEqual(rig.status().currentRevision, rig.status().updateRevision);
  assert.equal(rig.status().currentReplicas, 2);
  assert.equal(rig.status().updatedReplicas, 1);

  await rig.change({ updateStrategy: { rollingUpdate: { partition: 0 } } });
  await rig.settle();
  assert.deepEqual(rig.images(), ['db-0 web:2', 'db-1 web:2', 'db-2 web:2']);
});

test('on delete, a pod is replaced only when somebody deletes it', async t => {
  const rig = await start(t);
  await rig.apply(statefulSet(2, { updateStrategy: { type: 'OnDelete' } }));
  await rig.settle();
  await rig.setImage('web:2');
  await rig.settle();
  await rig.remove('db-0');
  await rig.settle();
  assert.deepEqual(rig.images(), ['db-0 web:2', 'db-1 web:1']);
});

test('replaces a pod that ended', async t => {
  const rig = await start(t);
  await rig.apply(statefulSet(1));
  await rig.settle();
  const uid = rig.pod('db-0')?.metadata?.uid;
  await rig.cluster.patch(
    rig.cluster.resourceOf(podKind),
    { namespace: 'test', name: 'db-0' },
    { type: 'merge', body: { status: { phase: 'Failed' } } },
    { subresource: 'status' },
  );
  await rig.settle();
  assert.notEqual(rig.pod('db-0')?.metadata?.uid, uid);
  assert.equal(rig.status().readyReplicas, 1);
});

test('starts counting where it is told to', async t => {
  const rig = await start(t);
  await rig.apply(statefulSet(2, { ordinals: { start: 5 } }));
  await rig.settle();
  assert.deepEqual(rig.order(), ['+db-5', '+db-6']);
  await rig.change({ ordinals: { start: 4 } });
  await rig.settle();
  assert.deepEqual(rig.order(), ['+db-4', '-db-6']);
});

test('claims stay, or go with their pod or with the set, as the policy says', async t => {
  const rig = await start(t);
  const policy = (whenScaled: string, whenDeleted: string) => ({ persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } });
  await rig.apply(statefulSet(3, { volumeClaimTemplates: [dataClaim], ...policy('Retain', 'Retain') }));
  await rig.settle();
  await rig.change({ replicas: 2 });
  await rig.settle();
  assert.equal(rig.claims().length, 3);

  await rig.change(policy('Delete', 'Delete'));
  await rig.change({ replicas: 1 });
  await rig.settle();
  assert.deepEqual(rig.claims(), ['data-db-0', 'data-db-2']);

  await rig.cluster.delete(rig.cluster.resourceOf(setKind), { namespace: 'test', name: 'db' }, { propagationPolicy: 'Background' });
  await rig.settle();
  assert.deepEqual(rig.claims(), ['data-db-2']);
});

test('keeps as many unused revisions as asked for', async t => {
  const rig = await start(t);
  await rig.apply(statefulSet(1, { revisionHistoryLimit: 1 }));
  for (const image of ['web:2', 'web:3', 'web:4']) {
    await rig.settle();
    await rig.setImage(image);
  }
  await rig.settle();
  assert.deepEqual(
    rig
      .list<ControllerRevision>(revisionKind)
      .map(r => r.revision)
      .toSorted(),
    [3, 4],
  );
});
