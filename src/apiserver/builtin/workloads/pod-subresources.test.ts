import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { ClusterApi } from '../../cluster-api.ts';
import { bindPod, evictPod, podGracePeriod } from './pod-subresources.ts';
import { scaleOf, validateScale, withReplicas } from './scale.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const pod = (spec: object = {}, status: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'u1', labels: { app: 'web' } },
  spec: { containers: [], terminationGracePeriodSeconds: 30, ...spec },
  status,
});
const binding = (target: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name: 'p', ...metadata },
  target,
});

test('binding sets the node, merges metadata and marks the pod scheduled', () => {
  const free = pod({}, { phase: 'Pending', nominatedNodeName: 'n0' });
  const bound = bindPod(free, binding({ kind: 'Node', name: 'n1' }, { annotations: { a: 'b' }, labels: { zone: 'z' } }), { now });
  assert.equal((bound['spec'] as { nodeName: string }).nodeName, 'n1');
  assert.deepEqual(bound.metadata.labels, { app: 'web', zone: 'z' });
  assert.deepEqual(bound.metadata.annotations, { a: 'b' });
  assert.deepEqual(bound['status'], {
    phase: 'Pending',
    conditions: [{ lastProbeTime: null, lastTransitionTime: '2026-01-02T03:04:05Z', type: 'PodScheduled', status: 'True' }],
  });
  assert.equal((free['spec'] as { nodeName?: string }).nodeName, undefined);
});

const conflictOf = (text: string) => `Operation cannot be fulfilled on pods/binding "p": ${text}`;
const refusals: [string, KubeObject, KubeObject, number, string][] = [
  ['bound', pod({ nodeName: 'n1' }), binding({ name: 'n2' }), 409, conflictOf('pod p is already assigned to node "n1"')],
  [
    'gated',
    pod({ schedulingGates: [{ name: 'g' }] }),
    binding({ name: 'n' }),
    409,
    conflictOf('pod p has non-empty .spec.schedulingGates'),
  ],
  ['no target', pod(), binding({}), 500, 'target.name: Required value'],
  [
    'other kind',
    pod(),
    binding({ kind: 'Pod', name: 'n' }),
    500,
    'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
  ],
];
for (const [name, obj, body, code, message] of refusals)
  test(`refuses to bind: ${name}`, () => {
    assert.throws(() => bindPod(obj, body, { now }), { code, message });
  });

test('grace ends at once for pods that run nowhere or have ended', () => {
  assert.equal(podGracePeriod(pod(), {}), 0);
  assert.equal(podGracePeriod(pod({ nodeName: 'n' }), {}), 30);
  assert.equal(podGracePeriod(pod({ nodeName: 'n' }), { gracePeriodSeconds: 5 }), 5);
  assert.equal(podGracePeriod(pod({ nodeName: 'n' }), { gracePeriodSeconds: -1 }), 1);
  assert.equal(podGracePeriod(pod({ nodeName: 'n' }, { phase: 'Succeeded' }), { gracePeriodSeconds: 5 }), 0);
});

function budget(name: string, disruptionsAllowed: number): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default', generation: 1 },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { observedGeneration: 1, disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  };
}

function apiWith(budgets: KubeObject[], calls: string[]): ClusterApi {
  return {
    peekAll: () => budgets,
    update: (gvr: { resource: string }, obj: KubeObject, options: { subresource: string }) => {
      calls.push(`update ${gvr.resource}/${options.subresource}`);
      return Promise.resolve(obj);
    },
    delete: (gvr: { resource: string }) => {
      calls.push(`delete ${gvr.resource}`);
      return Promise.resolve();
    },
  } as unknown as ClusterApi;
}

const eviction: KubeObject = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p', namespace: 'default' } };
const running = pod({ nodeName: 'n' }, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });

test('eviction counts in the budget before the pod goes', async () => {
  const calls: string[] = [];
  await evictPod(running, eviction, { api: apiWith([budget('b', 1)], calls), now, dryRun: false });
  assert.deepEqual(calls, ['update poddisruptionbudgets/status', 'update pods/status', 'delete pods']);
});

test('eviction is refused with 429 when the budget is used up', async () => {
  await assert.rejects(evictPod(running, eviction, { api: apiWith([budget('b', 0)], []), now, dryRun: false }), (error: unknown) => {
    assert.ok(error instanceof StatusError);
    assert.deepEqual([error.code, error.reason], [429, 'TooManyRequests']);
    assert.deepEqual(error.details, {
      causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' }],
    });
    return true;
  });
});

test('eviction fails when two budgets cover the pod', async () => {
  const api = apiWith([budget('a', 1), budget('b', 1)], []);
  await assert.rejects(evictPod(running, eviction, { api, now, dryRun: false }), { code: 500 });
});

test('a pending pod needs no budget', async () => {
  const calls: string[] = [];
  await evictPod(pod({}, { phase: 'Pending' }), eviction, { api: apiWith([budget('b', 0)], calls), now, dryRun: false });
  assert.deepEqual(calls, ['update pods/status', 'delete pods']);
});

const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'ns', uid: 'u', resourceVersion: '7', creationTimestamp: 't', labels: { a: 'b' } },
  spec: { replicas: 3, selector: { matchLabels: { b: '2', a: '1' } }, paused: true },
  status: { replicas: 2 },
};

test('a scale shows replicas and the selector as text', () => {
  assert.deepEqual(scaleOf(deployment), {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'd', namespace: 'ns', uid: 'u', resourceVersion: '7', creationTimestamp: 't' },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: 'a=1,b=2' },
  });
});

test('a scale changes nothing but the replicas', () => {
  const scale = scaleOf(deployment);
  const scaled = withReplicas(deployment, { ...scale, spec: { replicas: 9 } });
  assert.deepEqual(scaled, { ...deployment, spec: { ...(deployment['spec'] as object), replicas: 9 } });
  assert.throws(() => withReplicas(deployment, { ...scale, metadata: { ...scale.metadata, uid: 'other' } }), { code: 409 });
  assert.equal(validateScale({ ...scale, spec: { replicas: -1 } })[0]?.message, 'Invalid value: -1: must be greater than or equal to 0');
});
