import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ControllerRevision, DaemonSet, Pod } from '../../../api/kubernetes.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { podTemplate, startWorkloadRig, type WorkloadRigOptions } from '../../../../test/helpers/workload-rig.ts';
import { daemonSetController } from './daemon-set-controller.ts';
import { nodeOfDaemon } from './daemon-set-pods.ts';

const podKind = { apiVersion: 'v1', kind: 'Pod' };
const nodeKind = { apiVersion: 'v1', kind: 'Node' };
const setKind = { apiVersion: 'apps/v1', kind: 'DaemonSet' };
const revisionKind = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };

const daemonSet = (more: object = {}) => ({
  ...setKind,
  metadata: { name: 'agent' },
  spec: { selector: { matchLabels: { app: 'agent' } }, template: podTemplate({ app: 'agent' }), ...more },
});
const node = (name: string, more: { labels?: Record<string, string>; taints?: object[] } = {}) => ({
  ...nodeKind,
  metadata: { name, ...(more.labels && { labels: more.labels }) },
  spec: { ...(more.taints && { taints: more.taints }) },
});

async function start(t: TestContext, nodeNames: string[], options: Partial<WorkloadRigOptions> = {}) {
  const rig = await startWorkloadRig(t, { controllers: [daemonSetController], ...options });
  for (const name of nodeNames) await rig.cluster.add(node(name));
  const daemons = () => rig.list<Pod>(podKind);
  return {
    ...rig,
    daemons,
    /** Where daemons are, and of which image. */
    places: () =>
      daemons()
        .map(pod => `${nodeOfDaemon(pod as never)} ${pod.spec?.containers[0]?.image}`)
        .toSorted(),
    status: () => rig.get<DaemonSet>(setKind, 'agent')!.status!,
    change: (spec: object) => rig.change(setKind, 'agent', { spec }),
    setImage: (image: string) => rig.change(setKind, 'agent', { spec: { template: podTemplate({ app: 'agent' }, image) } }),
    patchNode: (name: string, body: object) =>
      rig.cluster.patch(rig.cluster.resourceOf(nodeKind), { namespace: '', name }, { type: 'merge', body: body as never }),
    failPod: (pod: Pod | undefined) =>
      rig.cluster.patch(
        rig.cluster.resourceOf(podKind),
        { namespace: 'test', name: pod?.metadata?.name ?? '' },
        { type: 'merge', body: { status: { phase: 'Failed' } } },
        { subresource: 'status' },
      ),
  };
}

test('runs one daemon on every node, also on those that come later', async t => {
  const rig = await start(t, ['a', 'b']);
  await rig.apply(daemonSet());
  await rig.settle();
  assert.deepEqual(rig.places(), ['a web:1', 'b web:1']);
  await rig.cluster.add(node('c'));
  await rig.settle();
  assert.deepEqual(rig.status(), {
    currentNumberScheduled: 3,
    desiredNumberScheduled: 3,
    numberMisscheduled: 0,
    numberReady: 3,
    observedGeneration: 1,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
  });
  const pod = rig.daemons()[0]!;
  const hash = rig.list<ControllerRevision>(revisionKind)[0]?.metadata?.labels?.['controller-revision-hash'];
  assert.deepEqual(pod.metadata?.labels, { app: 'agent', 'controller-revision-hash': hash, 'pod-template-generation': '1' });
  assert.deepEqual(
    pod.spec?.tolerations?.map(({ key, effect }) => `${key}:${effect}`),
    [
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ],
  );
  assert.deepEqual(rig.problems, []);
});

test('follows labels and taints of nodes', async t => {
  const rig = await start(t, ['a', 'b']);
  const template = podTemplate({ app: 'agent' });
  await rig.apply(daemonSet({ template: { ...template, spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } } }));
  await rig.settle();
  assert.deepEqual(rig.places(), []);

  await rig.patchNode('a', { metadata: { labels: { disk: 'ssd' } } });
  await rig.patchNode('b', { metadata: { labels: { disk: 'ssd' } }, spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } });
  await rig.settle();
  assert.deepEqual(rig.places(), ['a web:1']);

  await rig.patchNode('a', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } });
  await rig.settle();
  assert.deepEqual(rig.places(), ['a web:1']);
  assert.equal(rig.status().numberMisscheduled, 1);

  await rig.patchNode('a', { metadata: { labels: { disk: null } } });
  await rig.settle();
  assert.deepEqual(rig.places(), []);
});

test('rolls out without more missing daemons than allowed', async t => {
  const rig = await start(t, ['a', 'b', 'c'], { becomesReady: pod => (pod as Pod).spec?.containers[0]?.image !== 'web:bad' });
  await rig.apply(daemonSet());
  await rig.settle();
  await rig.setImage('web:bad');
  await rig.settle();
  assert.equal(rig.places().filter(place => place.endsWith('web:bad')).length, 1);
  assert.equal(rig.status().numberUnavailable, 1);
  assert.equal(rig.status().updatedNumberScheduled, 1);

  await rig.setImage('web:2');
  await rig.settle();
  assert.deepEqual(rig.places(), ['a web:2', 'b web:2', 'c web:2']);
  assert.deepEqual(
    rig
      .list<ControllerRevision>(revisionKind)
      .map(r => r.revision)
      .toSorted(),
    [1, 2, 3],
  );
});

test('going back replaces only the daemons that were updated', async t => {
  const rig = await start(t, ['a', 'b', 'c'], { becomesReady: pod => (pod as Pod).spec?.containers[0]?.image !== 'web:bad' });
  await rig.apply(daemonSet());
  await rig.settle();
  const before = new Map(rig.daemons().map(pod => [pod.metadata?.uid, pod]));
  await rig.setImage('web:bad');
  await rig.settle();
  await rig.setImage('web:1');
  await rig.settle();
  assert.deepEqual(rig.places(), ['a web:1', 'b web:1', 'c web:1']);
  assert.equal(rig.daemons().filter(pod => before.has(pod.metadata?.uid)).length, 2);
});

test('with surge the new daemon is there before the old one goes', async t => {
  const rig = await start(t, ['a', 'b']);
  await rig.apply(daemonSet({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }));
  await rig.settle();
  let least = 2;
  rig.cluster.subscribe(({ resource }) => {
    if (resource.resource !== 'pods') return;
    const ready = rig.daemons().filter(pod => pod.status?.conditions?.some(c => c.type === 'Ready' && c.status === 'True'));
    least = Math.min(least, new Set(ready.map(pod => nodeOfDaemon(pod as never))).size);
  });
  await rig.setImage('web:2');
  await rig.settle();
  assert.deepEqual(rig.places(), ['a web:2', 'b web:2']);
  assert.equal(least, 2);
});

test('on delete, daemons are replaced when somebody deletes them', async t => {
  const rig = await start(t, ['a', 'b']);
  await rig.apply(daemonSet({ updateStrategy: { type: 'OnDelete' } }));
  await rig.settle();
  await rig.setImage('web:2');
  await rig.settle();
  assert.deepEqual(rig.places(), ['a web:1', 'b web:1']);
  const first = rig.daemons().find(pod => nodeOfDaemon(pod as never) === 'a');
  await rig.cluster.remove(first as never);
  await rig.settle();
  assert.deepEqual(rig.places(), ['a web:2', 'b web:1']);
});

test('replaces a daemon that failed, at once the first time and later after a pause', async t => {
  const rig = await start(t, ['a']);
  await rig.apply(daemonSet());
  await rig.settle();
  const [first] = rig.daemons();
  await rig.failPod(first);
  await rig.settle();
  const [second] = rig.daemons();
  assert.notEqual(second?.metadata?.uid, first?.metadata?.uid);
  assert.ok(rig.events('agent').some(event => event.startsWith('FailedDaemonPod: Found failed daemon pod test/')));

  await rig.failPod(second);
  await rig.settle();
  assert.equal(rig.daemons()[0]?.metadata?.uid, second?.metadata?.uid);
  await eventually(() => rig.daemons()[0]?.metadata?.uid !== second?.metadata?.uid);
});

test('a new DaemonSet takes over what an earlier one orphaned', async t => {
  const rig = await start(t, ['a', 'b']);
  await rig.apply(daemonSet());
  await rig.settle();
  const before = rig.daemons().map(pod => pod.metadata?.uid);
  await rig.cluster.delete(rig.cluster.resourceOf(setKind), { namespace: 'test', name: 'agent' }, { propagationPolicy: 'Orphan' });
  await rig.settle();
  await rig.apply(daemonSet());
  await rig.settle();
  assert.deepEqual(
    rig.daemons().map(pod => pod.metadata?.uid),
    before,
  );
  assert.equal(rig.status().updatedNumberScheduled, 2);
});
