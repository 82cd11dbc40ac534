import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../../api/builtin-kinds.ts';
import { judgeAgentPods } from './judge-agent-pods.ts';

type PodStatus = NonNullable<Pod['status']>;

const pod = (name: string, minute: number, status: PodStatus, metadata: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, creationTimestamp: `2026-11-16T12:0${minute}:00Z`, ...metadata },
  status,
});
const ready: PodStatus = { conditions: [{ type: 'Ready', status: 'True' }] };
const waiting = (reason: string): PodStatus => ({
  containerStatuses: [
    { name: 'cluster-register', image: 'drover:1', imageID: '', ready: false, restartCount: 0, state: { waiting: { reason } } },
  ],
});

test('an agent that runs elsewhere has no such condition', () => assert.equal(judgeAgentPods([]), undefined));

test('a pod that runs is all there is to say', () => {
  assert.deepEqual(judgeAgentPods([pod('a', 0, ready)]), {
    type: 'AgentDeployed',
    status: 'True',
    reason: 'Running',
    message: 'The pod of the agent runs',
  });
});

test('a successor that cannot get its image is told of while the old pod still works', () => {
  const judged = judgeAgentPods([pod('old', 0, ready), pod('new', 1, waiting('ImagePullBackOff'))]);
  assert.deepEqual([judged?.status, judged?.reason], ['False', 'ImagePullBackOff']);
  assert.match(judged?.message ?? '', /cannot pull image "drover:1" for pod "new" of the agent: make it available/);
});

test('the two names that kubelets give one trouble in turn do not make two messages', () => {
  const one = judgeAgentPods([pod('a', 0, waiting('ErrImagePull'))]);
  assert.deepEqual(one, judgeAgentPods([pod('a', 0, waiting('ImagePullBackOff'))]));
});

test('trouble of pods that have a running successor, or are on their way out, is over', () => {
  const broken = waiting('ImagePullBackOff');
  assert.equal(judgeAgentPods([pod('old', 0, broken), pod('new', 1, ready)])?.status, 'True');
  const leaving = { deletionTimestamp: '2026-11-16T12:05:00Z' };
  assert.equal(judgeAgentPods([pod('old', 0, ready), pod('new', 1, broken, leaving)])?.status, 'True');
});

for (const [reason, status] of [
  ['CrashLoopBackOff', waiting('CrashLoopBackOff')],
  ['CreateContainerConfigError', waiting('CreateContainerConfigError')],
  ['Unschedulable', { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }],
] as const)
  test(`${reason} says where to look`, () => {
    const judged = judgeAgentPods([pod('a', 0, status as PodStatus)]);
    assert.deepEqual([judged?.status, judged?.reason], ['False', reason]);
    assert.match(judged?.message ?? '', /kubectl -n cattle-system (?:logs|describe pod) a/);
  });
