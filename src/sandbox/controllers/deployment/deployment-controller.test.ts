import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Deployment, Pod, ReplicaSet } from '../../../api/kubernetes.ts';
import { podTemplate, startWorkloadRig, type WorkloadRigOptions } from '../../../../test/helpers/workload-rig.ts';
import { deploymentController } from './deployment-controller.ts';
import { replicaSetController } from '../replica-set/replica-set-controller.ts';

const podKind = { apiVersion: 'v1', kind: 'Pod' };
const setKind = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' };

const deployment = (replicas: number, more: object = {}) => ({
  ...deploymentKind,
  metadata: { name: 'web', annotations: { note: 'kept' } },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: podTemplate({ app: 'web' }), ...more },
});

async function start(t: TestContext, options: Partial<WorkloadRigOptions> = {}) {
  const rig = await startWorkloadRig(t, { controllers: [deploymentController, replicaSetController], ...options });
  return {
    ...rig,
    deployment: () => rig.get<Deployment>(deploymentKind, 'web')!,
    status: () => rig.get<Deployment>(deploymentKind, 'web')?.status,
    condition: (type: string) => rig.get<Deployment>(deploymentKind, 'web')?.status?.conditions?.find(c => c.type === type),
    change: (spec: object) => rig.change(deploymentKind, 'web', { spec }),
    setImage: (image: string) => rig.change(deploymentKind, 'web', { spec: { template: podTemplate({ app: 'web' }, image) } }),
    sets: () =>
      rig
        .list<ReplicaSet>(setKind)
        .map(set => ({
          image: imageOf(set),
          size: set.spec?.replicas,
          revision: set.metadata?.annotations?.['deployment.kubernetes.io/revision'],
        }))
        .toSorted((a, b) => (a.image < b.image ? -1 : 1)),
  };
}

const imageOf = ({ spec }: ReplicaSet) => spec?.template?.spec?.containers[0]?.image ?? '';
const isImage = (image: string) => (pod: object) => (pod as Pod).spec?.containers[0]?.image === image;

test('makes a ReplicaSet and reports a complete rollout', async t => {
  const rig = await start(t);
  await rig.apply(deployment(3));
  await rig.settle();

  const [set] = rig.list<ReplicaSet>(setKind);
  const hash = set?.metadata?.labels?.['pod-template-hash'] ?? '';
  assert.equal(set?.metadata?.name, `web-${hash}`);
  assert.deepEqual(set.spec?.selector.matchLabels, { app: 'web', 'pod-template-hash': hash });
  assert.deepEqual(set.metadata.annotations, {
    note: 'kept',
    'deployment.kubernetes.io/desired-replicas': '3',
    'deployment.kubernetes.io/max-replicas': '4',
    'deployment.kubernetes.io/revision': '1',
  });
  const { conditions, ...counts } = rig.status()!;
  assert.deepEqual(counts, {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
  });
  assert.deepEqual(
    conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [
      ['Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'],
      ['Progressing', 'True', 'NewReplicaSetAvailable', `ReplicaSet "web-${hash}" has successfully progressed.`],
    ],
  );
  assert.equal(rig.deployment().metadata?.annotations?.['deployment.kubernetes.io/revision'], '1');
  assert.equal(rig.deployment().metadata?.generation, 1);
  assert.deepEqual(rig.events('web'), [`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`]);
  assert.deepEqual(rig.problems, []);
});

test('never has more or fewer pods than the strategy allows', async t => {
  const rig = await start(t);
  await rig.apply(deployment(4, { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }));
  await rig.settle();
  let [most, least] = [0, 99];
  rig.cluster.subscribe(({ resource }) => {
    if (resource.resource !== 'pods') return;
    const active = rig.list<Pod>(podKind).filter(pod => !pod.metadata?.deletionTimestamp);
    most = Math.max(most, active.length);
    least = Math.min(least, active.filter(pod => pod.status?.conditions?.[0]?.status === 'True').length);
  });
  await rig.setImage('web:2');
  await rig.settle();

  assert.ok(most <= 5, `${most} pods`);
  assert.ok(least >= 3, `${least} ready pods`);
  assert.deepEqual(rig.sets(), [
    { image: 'web:1', size: 0, revision: '1' },
    { image: 'web:2', size: 4, revision: '2' },
  ]);
  assert.equal(rig.status()?.updatedReplicas, 4);
});

test('goes back to an older template under a new revision', async t => {
  const rig = await start(t);
  await rig.apply(deployment(1));
  await rig.settle();
  await rig.setImage('web:2');
  await rig.settle();
  await rig.setImage('web:1');
  await rig.settle();
  assert.deepEqual(rig.sets(), [
    { image: 'web:1', size: 1, revision: '3' },
    { image: 'web:2', size: 0, revision: '2' },
  ]);
  const first = rig.list<ReplicaSet>(setKind).find(set => imageOf(set) === 'web:1');
  assert.equal(first?.metadata?.annotations?.['deployment.kubernetes.io/revision-history'], '1');
});

test('an annotation of old clients asks for a rollback', async t => {
  const rig = await start(t);
  await rig.apply(deployment(1));
  await rig.settle();
  await rig.setImage('web:2');
  await rig.settle();
  await rig.cluster.patch(
    rig.cluster.resourceOf(deploymentKind),
    { namespace: 'test', name: 'web' },
    { type: 'merge', body: { metadata: { annotations: { 'deprecated.deployment.rollback.to': '0' } } } },
  );
  await rig.settle();
  assert.equal(rig.deployment().spec?.template.spec?.containers[0]?.image, 'web:1');
  assert.equal(rig.deployment().metadata?.annotations?.['deprecated.deployment.rollback.to'], undefined);
  assert.ok(rig.events('web').includes('DeploymentRollback: Rolled back deployment "web" to revision 1'));
});

test('a rollout that does not become ready stops where it may, and runs into its deadline', async t => {
  const rig = await start(t, { becomesReady: pod => !isImage('web:bad')(pod) });
  await rig.apply(deployment(4, { progressDeadlineSeconds: 60 }));
  await rig.settle();
  await rig.setImage('web:bad');
  await rig.settle();
  assert.deepEqual(rig.sets(), [
    { image: 'web:1', size: 3, revision: '1' },
    { image: 'web:bad', size: 2, revision: '2' },
  ]);
  assert.equal(rig.status()?.unavailableReplicas, 2);
  assert.equal(rig.condition('Progressing')?.reason, 'ReplicaSetUpdated');

  rig.moveClock(62);
  await rig.change({ minReadySeconds: 1 });
  await rig.settle();
  const { status, reason, message } = rig.condition('Progressing')!;
  assert.deepEqual([status, reason], ['False', 'ProgressDeadlineExceeded']);
  assert.match(message ?? '', /^ReplicaSet "web-[a-z0-9]+" has timed out progressing\.$/);
});

test('scaled in the middle of a rollout, every ReplicaSet gets its share', async t => {
  const rig = await start(t, { becomesReady: isImage('web:1') });
  await rig.apply(deployment(10, { strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }));
  await rig.settle();
  await rig.setImage('web:2');
  await rig.settle();
  assert.deepEqual(
    rig.sets().map(set => set.size),
    [8, 5],
  );
  await rig.change({ replicas: 30 });
  await rig.settle();
  assert.deepEqual(
    rig.sets().map(set => set.size),
    [20, 13],
  );
});

test('paused, it scales but does not roll out; resumed, it goes on', async t => {
  const rig = await start(t);
  await rig.apply(deployment(2));
  await rig.settle();
  await rig.change({ paused: true, replicas: 3 });
  await rig.setImage('web:2');
  await rig.settle();
  assert.deepEqual(rig.sets(), [{ image: 'web:1', size: 3, revision: '1' }]);
  assert.deepEqual(
    [rig.condition('Progressing')?.status, rig.condition('Progressing')?.reason, rig.condition('Progressing')?.message],
    ['Unknown', 'DeploymentPaused', 'Deployment is paused'],
  );

  await rig.change({ paused: false });
  await rig.settle();
  assert.deepEqual(rig.sets().at(-1), { image: 'web:2', size: 3, revision: '2' });
  assert.equal(rig.condition('Progressing')?.reason, 'NewReplicaSetAvailable');
});

test('recreating ends all old pods before the first new one', async t => {
  const rig = await start(t);
  await rig.apply(deployment(3, { strategy: { type: 'Recreate' } }));
  await rig.settle();
  let isMixed = false;
  rig.cluster.subscribe(({ resource }) => {
    if (resource.resource === 'pods') isMixed ||= new Set(rig.list<Pod>(podKind).map(pod => pod.spec?.containers[0]?.image)).size > 1;
  });
  await rig.setImage('web:2');
  await rig.settle();
  assert.equal(isMixed, false);
  assert.equal(rig.list<Pod>(podKind).filter(isImage('web:2')).length, 3);
});

test('keeps as many old ReplicaSets as asked for', async t => {
  const rig = await start(t);
  await rig.apply(deployment(1, { revisionHistoryLimit: 1 }));
  for (const image of ['web:2', 'web:3', 'web:4']) {
    await rig.settle();
    await rig.setImage(image);
  }
  await rig.settle();
  assert.deepEqual(
    rig.sets().map(set => set.image),
    ['web:3', 'web:4'],
  );
});

test('a name that is taken by another ReplicaSet leads to another hash', async t => {
  const rig = await start(t);
  await rig.apply(deployment(0));
  await rig.settle();
  const [first] = rig.list<ReplicaSet>(setKind);
  await rig.cluster.remove(rig.deployment() as never);
  await rig.settle();
  await rig.apply({
    ...setKind,
    metadata: { name: first?.metadata?.name },
    spec: { replicas: 0, selector: { matchLabels: { app: 'other' } }, template: podTemplate({ app: 'other' }) },
  });
  await rig.apply(deployment(1));
  await rig.settle();
  assert.equal(rig.status()?.collisionCount, 1);
  assert.equal(rig.status()?.availableReplicas, 1);
  assert.equal(rig.list(setKind).length, 2);
});

test('adopts ReplicaSets that an earlier Deployment orphaned', async t => {
  const rig = await start(t);
  await rig.apply(deployment(2));
  await rig.settle();
  const target = { namespace: 'test', name: 'web' };
  await rig.cluster.delete(rig.cluster.resourceOf(deploymentKind), target, { propagationPolicy: 'Orphan' });
  await rig.settle();
  await rig.apply(deployment(2));
  await rig.settle();
  assert.equal(rig.list(setKind).length, 1);
  assert.equal(rig.list(podKind).length, 2);
  assert.equal(rig.deployment().metadata?.annotations?.['deployment.kubernetes.io/revision'], '1');
});

test('goes on counting from a revision of any size', async t => {
  const rig = await start(t);
  const revision = '3546343826724305832';
  await rig.apply({
    ...setKind,
    metadata: { name: 'old', labels: { app: 'web' }, annotations: { 'deployment.kubernetes.io/revision': revision } },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web', old: 'yes' } }, template: podTemplate({ app: 'web', old: 'yes' }) },
  });
  await rig.settle();
  await rig.apply(deployment(1));
  await rig.settle();
  assert.equal(rig.deployment().metadata?.annotations?.['deployment.kubernetes.io/revision'], '3546343826724305833');
});
