import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/kubernetes.ts';
import { storageObjectInUseProtection } from '../../../apiserver/admission/storage-protection.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startPlatformRig, type PlatformRig } from '../../../../test/helpers/platform-rig.ts';
import { defaultStorageClass } from './provision-volume.ts';

const claimKind = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
const volumeKind = { apiVersion: 'v1', kind: 'PersistentVolume' };
const podKind = { apiVersion: 'v1', kind: 'Pod' };

const claim = (name: string, spec: object = {}): object => ({
  ...claimKind,
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'standard', ...spec },
});
const volume = (name: string, storage: string, spec: object = {}): object => ({
  ...volumeKind,
  metadata: { name },
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, storageClassName: 'manual', ...spec },
});
const podWith = (claimName: string): object => ({
  ...podKind,
  metadata: { name: 'user' },
  spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] },
});
const phaseOf = (rig: PlatformRig, name: string) => rig.get<PersistentVolumeClaim>(claimKind, name)?.status?.phase;

async function startVolumeRig(t: Parameters<typeof startPlatformRig>[0]): Promise<PlatformRig> {
  const rig = await startPlatformRig(t);
  rig.cluster.plugins = [storageObjectInUseProtection()];
  await rig.apply(defaultStorageClass);
  return rig;
}

test('a claim gets a volume of its own, which goes with it', async t => {
  const rig = await startVolumeRig(t);
  await rig.apply(claim('data'));
  await rig.settle();
  assert.equal(phaseOf(rig, 'data'), 'Bound');
  const [made] = rig.list<PersistentVolume>(volumeKind);
  assert.equal(made?.status?.phase, 'Bound');
  assert.equal(made?.metadata?.name, `pvc-${rig.get(claimKind, 'data')?.metadata.uid}`);
  await rig.cluster.delete(rig.cluster.resourceOf(claimKind), { namespace: 'test', name: 'data' });
  await eventually(() => rig.get(claimKind, 'data') === undefined && rig.list(volumeKind).length === 0);
  assert.deepEqual(rig.problems, []);
});

test('a claim takes the smallest volume that is large enough, and leaves it behind', async t => {
  const rig = await startVolumeRig(t);
  for (const [name, size] of [
    ['small', '500Mi'],
    ['fits', '2Gi'],
    ['large', '10Gi'],
  ] as const)
    await rig.apply(volume(name, size, { persistentVolumeReclaimPolicy: 'Retain' }));
  await rig.settle();
  await rig.apply(claim('data', { storageClassName: 'manual' }));
  await rig.settle();
  assert.equal(rig.get<PersistentVolumeClaim>(claimKind, 'data')?.spec?.volumeName, 'fits');
  assert.equal(rig.get<PersistentVolumeClaim>(claimKind, 'data')?.status?.capacity?.['storage'], '2Gi');
  await rig.cluster.delete(rig.cluster.resourceOf(claimKind), { namespace: 'test', name: 'data' });
  await rig.settle();
  assert.equal(rig.get<PersistentVolume>(volumeKind, 'fits')?.status?.phase, 'Released');
});

test('a claim in use is kept until its pod is gone', async t => {
  const rig = await startVolumeRig(t);
  await rig.apply(claim('data'));
  await rig.apply(podWith('data'));
  await rig.settle();
  await rig.cluster.delete(rig.cluster.resourceOf(claimKind), { namespace: 'test', name: 'data' });
  await rig.settle();
  assert.ok(rig.get(claimKind, 'data'));
  await rig.cluster.delete(rig.cluster.resourceOf(podKind), { namespace: 'test', name: 'user' });
  await rig.settle();
  assert.equal(rig.get(claimKind, 'data'), undefined);
});

test('a volume that waits for its first consumer is made when the pod has a node', async t => {
  const rig = await startVolumeRig(t);
  await rig.apply({ ...defaultStorageClass, metadata: { name: 'lazy' }, volumeBindingMode: 'WaitForFirstConsumer' });
  await rig.apply(claim('data', { storageClassName: 'lazy' }));
  await rig.settle();
  assert.equal(phaseOf(rig, 'data'), 'Pending');
  await rig.apply(podWith('data'));
  await rig.settle();
  assert.equal(phaseOf(rig, 'data'), 'Bound');
  assert.equal(rig.get<Pod>(podKind, 'user')?.status?.phase, 'Running');
});

test('a pod waits for its claim and says so', async t => {
  const rig = await startVolumeRig(t);
  await rig.apply(podWith('data'));
  await rig.settle();
  const scheduled = rig.get<Pod>(podKind, 'user')?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  assert.match(scheduled?.message ?? '', /^0\/2 nodes are available: persistentvolumeclaim "data" not found\./);
  await rig.apply(claim('data'));
  await rig.settle();
  assert.equal(rig.get<Pod>(podKind, 'user')?.status?.phase, 'Running');
});

test('a claim that asks for more gets it', async t => {
  const rig = await startVolumeRig(t);
  await rig.apply(claim('data'));
  await rig.settle();
  await rig.change(claimKind, 'data', { spec: { resources: { requests: { storage: '3Gi' } } } });
  await rig.settle();
  assert.equal(rig.get<PersistentVolumeClaim>(claimKind, 'data')?.status?.capacity?.['storage'], '3Gi');
});

test('an ephemeral volume has a claim that lives as long as its pod', async t => {
  const rig = await startVolumeRig(t);
  const volumeClaimTemplate = {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'standard' },
  };
  const spec = { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate } }] };
  await rig.apply({ ...podKind, metadata: { name: 'user' }, spec });
  await rig.settle();
  assert.equal(phaseOf(rig, 'user-scratch'), 'Bound');
  assert.equal(rig.get<Pod>(podKind, 'user')?.status?.phase, 'Running');
  await rig.cluster.delete(rig.cluster.resourceOf(podKind), { namespace: 'test', name: 'user' });
  await eventually(() => rig.get(claimKind, 'user-scratch') === undefined);
});
