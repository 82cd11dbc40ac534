import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterRefusal, judgeShellPod, type SeenPod } from './judge-shell-pod.ts';

type Status = NonNullable<SeenPod['status']>;
type Container = NonNullable<NonNullable<Status['containerStatuses']>[number]['state']>;

const judge = (status: Status, container?: Container) =>
  judgeShellPod({
    metadata: {},
    spec: { containers: [{ image: 'tools:1' }] },
    status: { phase: 'Pending', ...status, ...(container && { containerStatuses: [{ state: container }] }) },
  });
const scheduled = { conditions: [{ type: 'PodScheduled', status: 'True' }] };

test('a pod is waited for, first for a node, then for its image', () => {
  assert.deepEqual(judge({}), { state: 'waiting', message: 'Waiting for a node' });
  assert.match(JSON.stringify(judge(scheduled, { waiting: { reason: 'ContainerCreating' } })), /fetches the image/);
  assert.deepEqual(judge({ ...scheduled, phase: 'Running' }, { running: {} }), { state: 'running' });
});

test('what keeps it from starting is said, with what to do', () => {
  const full = judge({
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available' }],
  });
  assert.deepEqual([full.state, 'message' in full && full.message], ['stuck', 'No node takes the pod yet: 0/1 nodes are available.']);
  for (const reason of ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName']) {
    const image = judge(scheduled, { waiting: { reason, message: 'not found' } });
    assert.equal(image.state, 'stuck');
    assert.match(JSON.stringify(image), /cannot pull the image tools:1: not found.*shell-image/);
  }
  assert.match(JSON.stringify(judge(scheduled, { waiting: { reason: 'CreateContainerError', message: 'no sleep' } })), /stuck.*no sleep/);
});

test('what is over stays over', () => {
  assert.match(JSON.stringify(judge({ phase: 'Failed', reason: 'DeadlineExceeded' })), /over.*as long as it may/);
  assert.match(JSON.stringify(judge({ phase: 'Failed', message: 'The node was low on memory' })), /over.*low on memory/);
  assert.match(JSON.stringify(judge({ phase: 'Running' }, { terminated: { reason: 'Error' } })), /over.*Error/);
  assert.equal(judgeShellPod({ metadata: { deletionTimestamp: 'now' }, status: { phase: 'Running' } }).state, 'over');
});

test('refusals lead somewhere', () => {
  assert.match(afterRefusal('pods "a" is forbidden: exceeded quota: small') ?? '', /no room/);
  assert.match(afterRefusal('violates PodSecurity "restricted:latest"') ?? '', /rule of this cluster/);
  assert.equal(afterRefusal('namespaces "x" not found'), undefined);
});
