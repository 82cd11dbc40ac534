import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node, Pod } from '../../api/kubernetes.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startPlatformRig } from '../../../test/helpers/platform-rig.ts';

const nodeKind = { apiVersion: 'v1', kind: 'Node' };
const podKind = { apiVersion: 'v1', kind: 'Pod' };

const pod = (name: string, spec: object = {}): object => ({
  ...podKind,
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const taintsOf = (node: Node | undefined) => (node?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
const readyOf = (node: Node | undefined) => node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

test('a node that somebody creates becomes ready, with an address and a size', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply({
    ...nodeKind,
    metadata: { name: 'mine' },
    spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
  });
  await rig.settle();
  const node = rig.get<Node>(nodeKind, 'mine');
  assert.equal(readyOf(node), 'True');
  assert.deepEqual(taintsOf(node), []);
  assert.equal(node?.status?.addresses?.[0]?.address, '172.18.0.4');
  assert.ok(node?.status?.allocatable?.['cpu']);
  assert.ok(rig.cluster.peek({ group: 'coordination.k8s.io', resource: 'leases' }, 'kube-node-lease', 'mine'));
});

test('nothing is written while nothing happens', async t => {
  const rig = await startPlatformRig(t);
  await rig.change(nodeKind, 'node-0', { metadata: { annotations: { 'sandbox.drover.io/behavior': 'down' } } });
  await rig.settle();
  const { revision } = rig.cluster.store;
  rig.moveClock(3600);
  await rig.change(nodeKind, 'node-0', { metadata: { labels: { look: 'again' } } });
  await rig.settle();
  assert.equal(rig.cluster.store.revision, revision + 1);
});

test('a cordoned node wears a taint until it is uncordoned', async t => {
  const rig = await startPlatformRig(t);
  await rig.change(nodeKind, 'node-0', { spec: { unschedulable: true } });
  await rig.settle();
  assert.deepEqual(taintsOf(rig.get(nodeKind, 'node-0')), ['node.kubernetes.io/unschedulable:NoSchedule']);
  await rig.change(nodeKind, 'node-0', { spec: { unschedulable: null } });
  await rig.settle();
  assert.deepEqual(taintsOf(rig.get(nodeKind, 'node-0')), []);
});

test('a node that is said to be down turns NotReady and loses its pods when their patience ends', async t => {
  const rig = await startPlatformRig(t, { nodes: 1 });
  const patient = [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }];
  await rig.apply(pod('patient', { tolerations: patient }));
  await rig.apply(pod('impatient'));
  await rig.settle();
  await rig.change(nodeKind, 'node-0', { metadata: { annotations: { 'sandbox.drover.io/behavior': 'down' } } });
  await rig.settle();
  assert.equal(readyOf(rig.get(nodeKind, 'node-0')), 'Unknown');
  const marked = (name: string) => rig.get<Pod>(podKind, name)?.metadata?.deletionTimestamp !== undefined;
  assert.deepEqual([marked('patient'), marked('impatient')], [false, true]);
  const condition = rig.get<Pod>(podKind, 'impatient')?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  assert.equal(condition?.reason, 'DeletionByTaintManager');

  rig.moveClock(301);
  await rig.change(nodeKind, 'node-0', { metadata: { labels: { look: 'again' } } });
  await rig.settle();
  assert.equal(marked('patient'), true);
  await rig.change(nodeKind, 'node-0', { metadata: { annotations: { 'sandbox.drover.io/behavior': null } } });
  await rig.settle();
  assert.equal(readyOf(rig.get(nodeKind, 'node-0')), 'True');
  assert.deepEqual(taintsOf(rig.get(nodeKind, 'node-0')), []);
  assert.deepEqual(rig.list(podKind), []);
});

test('the pods of a deleted node go after it', async t => {
  const rig = await startPlatformRig(t, { nodes: 1 });
  await rig.apply(pod('lost'));
  await rig.settle();
  await rig.cluster.delete(rig.cluster.resourceOf(nodeKind), { namespace: '', name: 'node-0' });
  await eventually(() => rig.get(podKind, 'lost') === undefined);
});

test('an important pod is given the room of an unimportant one', async t => {
  const rig = await startPlatformRig(t, { nodes: 1 });
  const cpu = rig.get<Node>(nodeKind, 'node-0')?.status?.allocatable?.['cpu'];
  const whole = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] };
  await rig.apply(pod('low', { ...whole, priority: 1 }));
  await rig.settle();
  await rig.apply(pod('high', { ...whole, priority: 100 }));
  await rig.settle();
  assert.equal(rig.get(podKind, 'low'), undefined);
  assert.equal(rig.get<Pod>(podKind, 'high')?.status?.phase, 'Running');
  assert.match(rig.events('low').at(-1) ?? '', /^Preempted: Preempted by pod /);
});
