import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, Pod, PodSpec, PodStatus } from '../../api/kubernetes.ts';
import type { Stored } from '../controllers/stored-object.ts';
import { podStatusAt } from './pod-status.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const facts = { hostIps: ['172.18.0.2'], podIps: ['10.244.0.2'] };

interface Life {
  readonly pod: Stored<Pod>;
  status(): PodStatus;
  container(): ContainerStatus;
  /** Goes through everything that time alone changes until then. */
  until(seconds: number): Life;
}

function live(spec: Partial<PodSpec>, annotations: Record<string, string> = {}, owner?: string): Life {
  const ownerReferences = owner ? [{ apiVersion: 'batch/v1', kind: owner, name: 'o', uid: 'o', controller: true }] : [];
  let pod: Stored<Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'test',
      uid: 'uid',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      resourceVersion: '1',
      annotations,
      ownerReferences,
    },
    spec: { containers: [{ name: 'c', image: 'web:1' }], restartPolicy: 'Always', nodeName: 'n', ...spec },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  };
  let wakeAt: number | undefined = start;
  const life: Life = {
    get pod() {
      return pod;
    },
    status: () => pod.status ?? {},
    container: () => pod.status!.containerStatuses![0]!,
    until(seconds) {
      while (wakeAt !== undefined && wakeAt <= start + seconds * 1000) {
        const step = podStatusAt(pod, facts, new Date(wakeAt));
        const isSame = JSON.stringify(step.status) === JSON.stringify(pod.status);
        pod = { ...pod, status: step.status };
        wakeAt = isSame && step.wakeAt === wakeAt ? undefined : step.wakeAt;
      }
      return life;
    },
  };
  return life;
}

const conditions = ({ conditions: list = [] }: PodStatus) => list.map(({ type, status }) => `${type}=${status}`).join(' ');

test('a pod runs and is ready at once, with its addresses and conditions', () => {
  const life = live({}).until(0);
  assert.equal(life.status().phase, 'Running');
  assert.equal(life.status().podIP, '10.244.0.2');
  assert.equal(life.status().qosClass, 'BestEffort');
  assert.equal(
    conditions(life.status()),
    'PodReadyToStartContainers=True Initialized=True Ready=True ContainersReady=True PodScheduled=True',
  );
  const { ready, started, restartCount, imageID, containerID } = life.container();
  assert.deepEqual({ ready, started, restartCount }, { ready: true, started: true, restartCount: 0 });
  assert.match(imageID, /^docker\.io\/library\/web@sha256:[0-9a-f]{64}$/);
  assert.match(containerID ?? '', /^containerd:\/\/[0-9a-f]{64}$/);
});

test('a pod that is said to take its time is ready when it has passed', () => {
  const life = live({}, { 'sandbox.drover.io/ready-after': '5s' });
  assert.equal(life.until(4).container().ready, false);
  assert.match(conditions(life.status()), /Ready=False ContainersReady=False/);
  assert.equal(life.until(5).container().ready, true);
});

test('a crashing container is restarted, waits longer and longer, and says so', () => {
  const life = live({}, { 'sandbox.drover.io/behavior': 'crash', 'sandbox.drover.io/exit-code': '3' });
  const { state, lastState, restartCount } = life.until(1).container();
  assert.equal(restartCount, 1);
  assert.deepEqual(state?.waiting, {
    reason: 'CrashLoopBackOff',
    message: 'back-off 10s restarting failed container=c pod=web_test(uid)',
  });
  assert.equal(lastState?.terminated?.exitCode, 3);
  assert.equal(life.status().phase, 'Running');
  assert.equal(life.until(11).container().restartCount, 2);
  assert.match(life.container().state?.waiting?.message ?? '', /^back-off 20s/);
  assert.equal(life.until(29).container().restartCount, 2);
  assert.equal(life.until(31).container().restartCount, 3);
});

test('a container out of memory is killed with 137', () => {
  const { terminated } = live({ restartPolicy: 'Never' }, { 'sandbox.drover.io/behavior': 'oom' }).until(1).container().state!;
  assert.deepEqual({ exitCode: terminated?.exitCode, reason: terminated?.reason }, { exitCode: 137, reason: 'OOMKilled' });
});

test('an image that cannot be pulled ends in back-off, and then nothing more happens', () => {
  const life = live({}, { 'sandbox.drover.io/behavior': 'image-pull-error' }).until(1);
  assert.equal(life.container().state?.waiting?.reason, 'ImagePullBackOff');
  assert.equal(life.status().phase, 'Pending');
  assert.equal(podStatusAt(life.pod, facts, new Date(start + 60_000)).wakeAt, undefined);
});

test('a pod that hangs stays in creation for ever', () => {
  const life = live({}, { 'sandbox.drover.io/behavior': 'hang' }).until(1000);
  assert.equal(life.container().state?.waiting?.reason, 'ContainerCreating');
  assert.equal(life.status().phase, 'Pending');
});

test('the pod of a job succeeds', () => {
  const life = live({ restartPolicy: 'Never' }, {}, 'Job');
  assert.equal(life.until(1).status().phase, 'Succeeded');
  assert.equal(life.container().state?.terminated?.reason, 'Completed');
  assert.match(conditions(life.status()), /PodReadyToStartContainers=False Initialized=True Ready=False/);
});

test('the pod of a job fails with the exit code it is given, after the time it is given', () => {
  const life = live({ restartPolicy: 'Never' }, { 'sandbox.drover.io/exit-code': '3', 'sandbox.drover.io/complete-after': '10s' }, 'Job');
  assert.equal(life.until(9).status().phase, 'Running');
  assert.equal(life.until(10).status().phase, 'Failed');
});

test('init containers come first, and sidecars stay beside the containers until these end', () => {
  const initContainers = [
    { name: 'setup', image: 'setup:1' },
    { name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' },
  ];
  const life = live({ initContainers, restartPolicy: 'Never' }, { 'sandbox.drover.io/complete-after': '10s' }).until(5);
  const [setup, proxy] = life.status().initContainerStatuses!;
  assert.equal(setup?.state?.terminated?.exitCode, 0);
  assert.ok(proxy?.state?.running && proxy.ready);
  assert.equal(life.until(10).status().phase, 'Succeeded');
  assert.ok(life.status().initContainerStatuses?.[1]?.state?.terminated);
});

test('an init container that fails keeps the others from starting', () => {
  const life = live({ initContainers: [{ name: 'setup', image: 'setup:1' }] }, { 'behavior.sandbox.drover.io/setup': 'crash' }).until(1);
  assert.equal(life.status().phase, 'Pending');
  assert.equal(life.container().state?.waiting?.reason, 'PodInitializing');
  assert.equal(life.status().initContainerStatuses?.[0]?.state?.waiting?.reason, 'CrashLoopBackOff');
});

test('a pod that runs longer than its deadline fails', () => {
  const life = live({ activeDeadlineSeconds: 30 });
  assert.equal(life.until(29).status().phase, 'Running');
  assert.equal(life.until(30).status().reason, 'DeadlineExceeded');
  assert.equal(life.status().phase, 'Failed');
});

test('an evicted pod says why, and that it was a disruption', () => {
  const life = live({}, { 'sandbox.drover.io/behavior': 'evict' }).until(1);
  assert.equal(life.status().reason, 'Evicted');
  assert.match(conditions(life.status()), /DisruptionTarget=True/);
});
