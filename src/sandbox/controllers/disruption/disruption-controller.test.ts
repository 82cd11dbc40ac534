import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Pod, PodDisruptionBudget } from '../../../api/kubernetes.ts';
import { StatusError } from '../../../api/status.ts';
import { evictPod } from '../../../apiserver/builtin/workloads/pod-eviction.ts';
import { podTemplate, startWorkloadRig } from '../../../../test/helpers/workload-rig.ts';
import { deploymentController } from '../deployment/deployment-controller.ts';
import { disruptionController } from './disruption-controller.ts';
import { replicaSetController } from '../replica-set/replica-set-controller.ts';

const podKind = { apiVersion: 'v1', kind: 'Pod' };
const budgetKind = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
const budget = (spec: object) => ({
  ...budgetKind,
  metadata: { name: 'guard' },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
});

async function start(t: TestContext, replicas: number) {
  const rig = await startWorkloadRig(t, { controllers: [disruptionController, deploymentController, replicaSetController] });
  await rig.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: podTemplate({ app: 'web' }) },
  });
  const status = () => rig.get<PodDisruptionBudget>(budgetKind, 'guard')!.status!;
  return {
    ...rig,
    status,
    counts: () => {
      const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status();
      return [disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods];
    },
    async evictFirst() {
      const [pod] = rig.list(podKind);
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod?.metadata.name ?? '', namespace: 'test' } };
      await evictPod(pod!, body, { api: rig.cluster, now: new Date(), dryRun: false });
    },
  };
}

test('allows as many disruptions as healthy pods can be spared', async t => {
  const rig = await start(t, 4);
  await rig.apply(budget({ maxUnavailable: '25%' }));
  await rig.settle();
  assert.deepEqual(rig.counts(), [1, 4, 3, 4]);
  const { lastTransitionTime: _, ...condition } = rig.status().conditions![0]!;
  assert.deepEqual(condition, { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '', observedGeneration: 1 });

  const [pod] = rig.list<Pod>(podKind);
  await rig.setReady(pod?.metadata?.name ?? '', false);
  await rig.settle();
  assert.deepEqual(rig.counts(), [0, 3, 3, 4]);
  assert.equal(rig.status().conditions?.[0]?.reason, 'InsufficientPods');
});

test('a number of available pods is counted against the pods there are', async t => {
  const rig = await start(t, 3);
  await rig.apply(budget({ minAvailable: 2 }));
  await rig.settle();
  assert.deepEqual(rig.counts(), [1, 3, 2, 3]);
});

test('an eviction is granted while the budget allows, and again once the pod is replaced', async t => {
  const rig = await start(t, 2);
  await rig.apply(budget({ minAvailable: '50%' }));
  await rig.settle();
  await rig.evictFirst();
  await rig.settle();
  assert.deepEqual(rig.counts(), [1, 2, 1, 2]);
  assert.equal(rig.status().disruptedPods, undefined);

  await rig.change(budgetKind, 'guard', { spec: { minAvailable: 2 } });
  await rig.settle();
  await assert.rejects(rig.evictFirst(), (error: unknown) => error instanceof StatusError && error.code === 429);
});

test('pods without a controller are told about, and do not count', async t => {
  const rig = await start(t, 1);
  await rig.apply({
    ...podKind,
    metadata: { name: 'loose', labels: { app: 'web', tier: 'x' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  await rig.apply(budget({ maxUnavailable: 1, selector: { matchLabels: { tier: 'x' } } }));
  await rig.settle();
  assert.deepEqual(rig.counts(), [0, 1, 0, 0]);
  assert.match(
    rig.events('guard')[0] ?? '',
    /^UnmanagedPods: Pods selected by this PodDisruptionBudget \(selector: &LabelSelector\{MatchLabels:map\[string\]string\{tier: x,\},/,
  );
});

test('pods of a controller that cannot be scaled make the budget fail', async t => {
  const rig = await start(t, 1);
  const owner = await rig.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'boss' } });
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'boss', uid: owner.metadata.uid, controller: true };
  await rig.apply({
    ...podKind,
    metadata: { name: 'odd', labels: { tier: 'y' }, ownerReferences: [ref] },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  await rig.apply(budget({ maxUnavailable: 1, selector: { matchLabels: { tier: 'y' } } }));
  await rig.settle();
  const { status, reason, message } = rig.status().conditions![0]!;
  assert.deepEqual([status, reason, message], ['False', 'SyncFailed', 'configmaps does not implement the scale subresource']);
});
