import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../../api/kubernetes.ts';
import { startPlatformRig, type PlatformRig } from '../../../test/helpers/platform-rig.ts';

const podKind = { apiVersion: 'v1', kind: 'Pod' };
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  ...podKind,
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const statusOf = (rig: PlatformRig, name: string) => rig.get<Pod>(podKind, name)?.status;
const remove = (rig: PlatformRig, name: string) => rig.cluster.delete(rig.cluster.resourceOf(podKind), { namespace: 'test', name });

test('a node refuses what was put on it past the scheduler and does not fit', async t => {
  const rig = await startPlatformRig(t, { nodes: 1 });
  const ports = [{ containerPort: 80, hostPort: 80 }];
  const withPort = { nodeName: 'node-0', containers: [{ name: 'c', image: 'i', ports }] };
  await rig.apply(pod('first', withPort));
  await rig.settle();
  await rig.apply(pod('second', withPort));
  await rig.apply(pod('picky', { nodeName: 'node-0', nodeSelector: { no: 'such' } }));
  await rig.apply(pod('large', { nodeName: 'node-0', containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1000' } } }] }));
  await rig.settle();
  assert.equal(statusOf(rig, 'first')?.phase, 'Running');
  assert.deepEqual(
    ['second', 'picky', 'large'].map(name => [statusOf(rig, name)?.phase, statusOf(rig, name)?.reason]),
    [
      ['Failed', 'NodePorts'],
      ['Failed', 'NodeAffinity'],
      ['Failed', 'OutOfcpu'],
    ],
  );
  assert.match(
    statusOf(rig, 'large')?.message ?? '',
    /^Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000, used: 0, capacity: \d+$/,
  );
});

test('a deleted pod goes at once, or when it is said to have ended', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(pod('quick'));
  await rig.apply(pod('slow', {}, { annotations: { 'sandbox.drover.io/terminate-after': '20s' } }));
  await rig.settle();
  await remove(rig, 'quick');
  await remove(rig, 'slow');
  await rig.settle();
  assert.equal(rig.get(podKind, 'quick'), undefined);
  assert.ok(rig.get(podKind, 'slow'));
  rig.moveClock(21);
  await rig.change(podKind, 'slow', { metadata: { labels: { look: 'again' } } });
  await rig.settle();
  assert.equal(rig.get(podKind, 'slow'), undefined);
});

test('a deleted pod that somebody holds says how it ended', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(pod('held', {}, { finalizers: ['example.com/hold'] }));
  await rig.settle();
  await remove(rig, 'held');
  await rig.settle();
  assert.equal(statusOf(rig, 'held')?.phase, 'Failed');
  assert.equal(statusOf(rig, 'held')?.containerStatuses?.[0]?.state?.terminated?.exitCode, 143);
});

test('a new image restarts its container', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(pod('web'));
  await rig.settle();
  await rig.change(podKind, 'web', { spec: { containers: [{ name: 'c', image: 'i:2', imagePullPolicy: 'Always' }] } });
  await rig.settle();
  const [container] = statusOf(rig, 'web')?.containerStatuses ?? [];
  assert.deepEqual([container?.image, container?.restartCount, container?.ready], ['i:2', 1, true]);
});

test('a closed readiness gate keeps a pod from being ready', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(pod('gated', { readinessGates: [{ conditionType: 'example.com/gate' }] }));
  await rig.settle();
  const ready = () => statusOf(rig, 'gated')?.conditions?.find(({ type }) => type === 'Ready');
  assert.equal(ready()?.status, 'True');
  const others = (statusOf(rig, 'gated')?.conditions ?? []).filter(({ type }) => type !== 'example.com/gate');
  await rig.change(podKind, 'gated', { status: { conditions: [...others, { type: 'example.com/gate', status: 'False' }] } }, 'status');
  await rig.settle();
  assert.equal(ready()?.reason, 'ReadinessGatesNotReady');
});

test('the addresses of pods that have ended are used again', async t => {
  const rig = await startPlatformRig(t, { nodes: 1 });
  // More than the range of a node holds.
  for (let i = 0; i < 260; i++) {
    await rig.apply(pod(`task-${i}`, { restartPolicy: 'Never' }, { annotations: { 'sandbox.drover.io/behavior': 'complete' } }));
    if (i % 20 === 0) await rig.settle();
  }
  await rig.settle();
  assert.ok(statusOf(rig, 'task-259')?.podIP);
});
