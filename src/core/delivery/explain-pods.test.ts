import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pod } from '../../api/builtin-kinds.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { applyObjects } from './apply-objects.ts';
import { explainPods, podTrouble } from './explain-pods.ts';
import { deployment, startMemoryMember } from './member-test-support.ts';
import { refOf } from './object-ref.ts';
import { waitHealthy } from './wait-healthy.ts';

const pod = (status: object): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
  status,
});

const waiting = (reason: string, message = '') => ({ name: 'web', state: { waiting: { reason, message } } });

test('a pod says what is wrong with it, without what changes by itself', () => {
  const unscheduled = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: '0/3 nodes are available: 3 Insufficient cpu.',
  };
  const crashed = {
    ...waiting('CrashLoopBackOff', 'back-off 40s restarting failed container'),
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
  };
  const cases: [status: object, words: string | undefined][] = [
    [{}, undefined],
    [{ phase: 'Running', containerStatuses: [{ name: 'web', state: { running: {} } }] }, undefined],
    [{ phase: 'Pending', containerStatuses: [waiting('ContainerCreating')] }, undefined],
    [
      { containerStatuses: [waiting('ImagePullBackOff', 'Back-off pulling\n image "web:1"')] },
      'container web: ImagePullBackOff: Back-off pulling image "web:1"',
    ],
    [{ containerStatuses: [crashed] }, 'container web: CrashLoopBackOff (OOMKilled, exit code 137)'],
    [{ initContainerStatuses: [{ ...waiting('CrashLoopBackOff'), name: 'init' }] }, 'container init: CrashLoopBackOff'],
    [
      { containerStatuses: [{ name: 'web', state: { terminated: { exitCode: 1, reason: 'Error' } } }] },
      'container web: Error, exit code 1',
    ],
    [{ containerStatuses: [{ name: 'web', state: { terminated: { exitCode: 0, reason: 'Completed' } } }] }, undefined],
    [{ phase: 'Pending', conditions: [unscheduled] }, 'Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.'],
    [{ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory' }, 'Evicted: The node was low on memory'],
    [{ phase: 'Failed' }, 'Failed'],
  ];
  for (const [status, words] of cases) assert.equal(podTrouble(pod(status)), words && `pod web-1: ${words}`);
});

test('who waits for a workload in vain hears what its pods say', async t => {
  const member = await startMemoryMember(t);
  const { signal, client } = member;
  const [web] = await applyObjects(member, [deployment('web')], { owner: { work: 'x' }, signal });
  assert.equal(await explainPods(member, web, signal), undefined);
  const status = {
    containerStatuses: [{ ...waiting('ErrImagePull', 'no such image'), image: '', imageID: '', ready: false, restartCount: 0 }],
  };
  await client.create(Pod, pod({}));
  await client.patch(Pod, { namespace: 'shop', name: 'web-1' }, { type: 'merge', body: { status } }, { subresource: 'status' });
  let isSeen = false;
  using _ = member.watches.follow(refOf(web!), () => (isSeen = true));
  await eventually(() => isSeen);
  await assert.rejects(
    waitHealthy(member, [refOf(web!)], { timeoutMs: 300, signal }),
    /Deployment shop\/web: InProgress, .*: pod web-1: container web: ErrImagePull: no such image$/,
  );
});
