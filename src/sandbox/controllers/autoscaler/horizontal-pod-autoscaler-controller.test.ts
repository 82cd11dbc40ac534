import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { AutoscalingV2HorizontalPodAutoscaler, Deployment, Pod } from '../../../api/kubernetes.ts';
import { startWorkloadRig } from '../../../../test/helpers/workload-rig.ts';
import { deploymentController } from '../deployment/deployment-controller.ts';
import { horizontalPodAutoscalerController } from './horizontal-pod-autoscaler-controller.ts';
import { replicaSetController } from '../replica-set/replica-set-controller.ts';

const podKind = { apiVersion: 'v1', kind: 'Pod' };
const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' };
const autoscalerKind = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

const autoscaler = (spec: object) => ({
  ...autoscalerKind,
  metadata: { name: 'web' },
  spec: { scaleTargetRef: { ...deploymentKind, name: 'web' }, minReplicas: 1, maxReplicas: 10, metrics: [cpu(50)], ...spec },
});

async function start(t: TestContext, { replicas, usage }: { replicas: number; usage?: string }) {
  const rig = await startWorkloadRig(t, { controllers: [horizontalPodAutoscalerController, deploymentController, replicaSetController] });
  const container = { name: 'web', image: 'web:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } };
  const annotations = usage === undefined ? {} : { 'sandbox.drover.io/cpu-usage': usage };
  await rig.apply({
    ...deploymentKind,
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' }, annotations }, spec: { containers: [container] } },
    },
  });
  await rig.settle();
  const status = () => rig.get<AutoscalingV2HorizontalPodAutoscaler>(autoscalerKind, 'web')!.status!;
  return {
    ...rig,
    status,
    size: () => rig.get<Deployment>(deploymentKind, 'web')?.spec?.replicas,
    conditions: () => status().conditions?.map(({ type, status: state, reason }) => `${type}=${state} ${reason}`),
    async use(usage: string) {
      for (const pod of rig.list<Pod>(podKind))
        await rig.change(podKind, pod.metadata?.name ?? '', { metadata: { annotations: { 'sandbox.drover.io/cpu-usage': usage } } });
    },
    /** As when the autoscaler looks again by itself. */
    async lookAgain() {
      rig.moveClock(16);
      await rig.change(autoscalerKind, 'web', { metadata: { annotations: { look: String(Math.random()) } } });
      await rig.settle();
    },
  };
}

test('grows with the load and says from which metric', async t => {
  const rig = await start(t, { replicas: 2, usage: '100m' });
  await rig.apply(autoscaler({}));
  await rig.settle();
  assert.equal(rig.size(), 4);
  const { lastScaleTime, conditions: _, ...counts } = rig.status();
  assert.ok(lastScaleTime);
  assert.deepEqual(counts, {
    currentReplicas: 2,
    desiredReplicas: 4,
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '100m' } } }],
  });
  assert.deepEqual(rig.conditions(), [
    'AbleToScale=True SucceededRescale',
    'ScalingActive=True ValidMetricFound',
    'ScalingLimited=False DesiredWithinRange',
  ]);
  assert.deepEqual(
    rig.events('web').filter(event => event.startsWith('SuccessfulRescale')),
    ['SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target'],
  );
  assert.deepEqual(rig.problems, []);
});

test('grows no faster than twice a look, and never beyond the maximum', async t => {
  const rig = await start(t, { replicas: 3, usage: '500m' });
  await rig.apply(autoscaler({}));
  await rig.settle();
  assert.equal(rig.size(), 6);
  assert.ok(rig.conditions()?.includes('ScalingLimited=True ScaleUpLimit'));
  await rig.lookAgain();
  assert.equal(rig.size(), 10);
  assert.ok(rig.conditions()?.includes('ScalingLimited=True TooManyReplicas'));
});

test('shrinks only once the load was low for the whole window', async t => {
  const rig = await start(t, { replicas: 4, usage: '50m' });
  await rig.apply(autoscaler({}));
  await rig.settle();
  assert.equal(rig.size(), 4);
  await rig.use('5m');
  await rig.lookAgain();
  assert.equal(rig.size(), 4);
  assert.ok(rig.conditions()?.includes('AbleToScale=True ScaleDownStabilized'));
  rig.moveClock(301);
  await rig.lookAgain();
  assert.equal(rig.size(), 1);
});

test('rules of its own set the pace', async t => {
  const rig = await start(t, { replicas: 6, usage: '5m' });
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] } };
  await rig.apply(autoscaler({ behavior }));
  await rig.settle();
  assert.equal(rig.size(), 4);
  assert.ok(rig.conditions()?.includes('ScalingLimited=True ScaleDownLimit'));
  await rig.lookAgain();
  assert.equal(rig.size(), 4);
  rig.moveClock(60);
  await rig.lookAgain();
  assert.equal(rig.size(), 2);
});

test('without metrics it says so and leaves the size alone', async t => {
  const rig = await start(t, { replicas: 2 });
  await rig.apply(autoscaler({}));
  await rig.settle();
  assert.equal(rig.size(), 2);
  const active = rig.status().conditions?.find(({ type }) => type === 'ScalingActive');
  assert.deepEqual([active?.status, active?.reason], ['False', 'FailedGetResourceMetric']);
  assert.equal(
    active?.message,
    'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
  );
  assert.ok(
    rig
      .events('web')
      .some(event =>
        event.startsWith(
          'FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value:',
        ),
      ),
  );
});

test('keeps within its bounds without any metric, and leaves alone what was scaled to zero', async t => {
  const rig = await start(t, { replicas: 1 });
  await rig.apply(autoscaler({ minReplicas: 3 }));
  await rig.settle();
  assert.equal(rig.size(), 3);
  assert.ok(rig.events('web').includes('SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas'));

  await rig.change(deploymentKind, 'web', { spec: { replicas: 0 } });
  await rig.lookAgain();
  assert.equal(rig.size(), 0);
  assert.ok(rig.conditions()?.includes('ScalingActive=False ScalingDisabled'));
});

test('a target that is not there is told in the words of the API', async t => {
  const rig = await start(t, { replicas: 1 });
  await rig.apply(autoscaler({ scaleTargetRef: { ...deploymentKind, name: 'nowhere' } }));
  await rig.settle();
  const [able] = rig.status().conditions ?? [];
  assert.equal(able?.message, 'the HPA controller was unable to get the target\'s current scale: deployments.apps "nowhere" not found');
});
