import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AutoscalingV2HorizontalPodAutoscaler, Deployment, PodDisruptionBudget, StatefulSet } from '../../src/api/kubernetes.ts';
import type { KubeObject } from '../../src/api/object.ts';
import { eventually } from '../helpers/eventually.ts';
import { missingRig } from '../helpers/rig.ts';
import { WorkloadSide, type WorkloadKind } from '../helpers/workload-side.ts';
import { openRealCluster, realClusterPrograms } from '../upstream/open-cluster.ts';
import { openSandbox } from '../upstream/open-sandbox.ts';

const skip = missingRig(...realClusterPrograms) ?? false;

const template = (app: string, image: string, more: object = {}) => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image }], ...more },
});
/** Pods that no node takes: how a rollout is held on both sides. */
const nowhere = { nodeSelector: { 'no-such': 'node' } };
const oneByOne = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

const deployment = (replicas: number, more: object = {}) => ({
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, strategy: oneByOne, template: template('web', 'web:1'), ...more },
});

const autoscaler = (name: string, metric: object) => ({
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, minReplicas: 1, maxReplicas: 5, metrics: [metric] },
});

describe('a sandbox does with workloads what a real cluster does', { skip, timeout: 280_000 }, () => {
  const stack = new AsyncDisposableStack();
  let kubeconfigs: [name: string, file: string][];
  before(async () => {
    const [real, sandbox] = await Promise.all([openRealCluster(stack), openSandbox(stack)]);
    kubeconfigs = [
      ['real', real],
      ['sandbox', sandbox],
    ];
  });
  after(() => stack.disposeAsync());

  /** Does the same on both sides and waits until both look the same. */
  async function compare(namespace: string, kinds: readonly WorkloadKind[], deeds: (side: WorkloadSide) => Promise<void>): Promise<void> {
    using sides = new DisposableStack();
    const both = kubeconfigs.map(([name, file]) => sides.use(new WorkloadSide(name, file, namespace)));
    await Promise.all(
      both.map(async side => {
        await side.open();
        await deeds(side);
      }),
    );
    const read = () => Promise.all(both.map(side => side.snapshot(kinds)));
    const last = await eventually(read, ([real, sandbox]) => JSON.stringify(sorted(real)) === JSON.stringify(sorted(sandbox)), {
      timeoutMs: 15_000,
      everyMs: 300,
    }).catch(read);
    assert.deepEqual(last[1], last[0]);
  }

  async function untilDeployment(
    side: WorkloadSide,
    isRight: (status: NonNullable<Deployment['status']>, one: Deployment) => boolean,
  ): Promise<void> {
    await eventually(
      () => side.get<Deployment>('Deployment', 'web'),
      one => one.status?.observedGeneration === one.metadata?.generation && isRight(one.status ?? {}, one),
      { timeoutMs: 60_000, what: `the deployment on the ${side.name} side` },
    );
  }

  const isComplete = (status: NonNullable<Deployment['status']>, one: Deployment) =>
    status.updatedReplicas === one.spec?.replicas &&
    status.replicas === one.spec?.replicas &&
    status.availableReplicas === one.spec?.replicas;

  test('a rollout with surge, and back again', async () => {
    await compare('rollout', ['Deployment', 'ReplicaSet'], async side => {
      await side.create('Deployment', 'web', deployment(3, { minReadySeconds: 1 }));
      await untilDeployment(side, isComplete);
      await side.patch('Deployment', 'web', { spec: { template: template('web', 'web:2') } });
      await untilDeployment(side, isComplete);
      await side.patch('Deployment', 'web', { spec: { template: template('web', 'web:1') } });
      await untilDeployment(side, isComplete);
    });
  });

  test('scaled up and down in the middle of a rollout, until its deadline passes', async () => {
    const strategy = { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
    await compare('midway', ['Deployment'], async side => {
      await side.create('Deployment', 'web', deployment(8, { strategy, progressDeadlineSeconds: 8 }));
      await untilDeployment(side, isComplete);
      await side.patch('Deployment', 'web', { spec: { template: template('web', 'web:2', nowhere) } });
      await untilDeployment(side, status => status.availableReplicas === 6 && status.updatedReplicas === 5);
      await side.patch('Deployment', 'web', { spec: { replicas: 20 } });
      await untilDeployment(
        side,
        status => status.replicas === 23 && status.availableReplicas === status.replicas - (status.updatedReplicas ?? 0),
      );
      await side.patch('Deployment', 'web', { spec: { replicas: 5 } });
      await untilDeployment(side, status => (status.conditions ?? []).some(({ reason }) => reason === 'ProgressDeadlineExceeded'));
    });
  });

  test('paused, changed, scaled and resumed', async () => {
    await compare('paused', ['Deployment', 'ReplicaSet'], async side => {
      await side.create('Deployment', 'web', deployment(2));
      await untilDeployment(side, isComplete);
      await side.patch('Deployment', 'web', { spec: { paused: true } });
      await untilDeployment(side, status => (status.conditions ?? []).some(({ reason }) => reason === 'DeploymentPaused'));
      await side.patch('Deployment', 'web', { spec: { template: template('web', 'web:2') } });
      await untilDeployment(side, () => true);
      await side.patch('Deployment', 'web', { spec: { replicas: 3 } });
      await untilDeployment(side, status => status.availableReplicas === 3);
      await side.patch('Deployment', 'web', { spec: { paused: false } });
      await untilDeployment(side, isComplete);
    });
  });

  test('recreated, with little history', async () => {
    await compare('recreate', ['Deployment', 'ReplicaSet'], async side => {
      await side.create('Deployment', 'web', deployment(2, { strategy: { type: 'Recreate' }, revisionHistoryLimit: 1 }));
      await untilDeployment(side, isComplete);
      for (const image of ['web:2', 'web:3']) {
        await side.patch('Deployment', 'web', { spec: { template: template('web', image) } });
        await untilDeployment(side, isComplete);
      }
    });
  });

  test('a third template while the second hangs', async () => {
    await compare('rollover', ['Deployment', 'ReplicaSet'], async side => {
      await side.create('Deployment', 'web', deployment(3));
      await untilDeployment(side, isComplete);
      await side.patch('Deployment', 'web', { spec: { template: template('web', 'web:2', nowhere) } });
      await untilDeployment(side, status => status.updatedReplicas === 1 && status.replicas === 4);
      await side.patch('Deployment', 'web', {
        spec: { template: { ...template('web', 'web:3'), spec: { ...template('web', 'web:3').spec, nodeSelector: null } } },
      });
      await untilDeployment(side, isComplete);
    });
  });

  test('deleted without its ReplicaSets, and created again', async () => {
    await compare('adoption', ['Deployment', 'ReplicaSet'], async side => {
      await side.create('Deployment', 'web', deployment(2));
      await untilDeployment(side, isComplete);
      await side.delete('Deployment', 'web', 'Orphan');
      await eventually(async () => (await side.list('Deployment')).length === 0);
      await side.create('Deployment', 'web', deployment(3));
      await untilDeployment(side, isComplete);
    });
  });

  test('more than the quota allows', async () => {
    await compare('quota', ['Deployment', 'ReplicationController'], async side => {
      await side.create('ResourceQuota', 'few', { spec: { hard: { pods: '2' } } });
      await eventually(async () => (await side.get('ResourceQuota', 'few'))['status'] !== undefined);
      await side.create('ReplicationController', 'rc', {
        spec: { replicas: 3, selector: { app: 'rc' }, template: template('rc', 'rc:1') },
      });
      await eventually(async () => ((await side.get('ReplicationController', 'rc'))['status'] as { conditions?: [] }).conditions);
    });
  });

  test('a stateful set, updated behind a partition and scaled', async () => {
    await compare('stateful', ['StatefulSet', 'ControllerRevision', 'Pod'], async side => {
      const until = (isRight: (set: StatefulSet) => boolean) =>
        eventually(
          () => side.get<StatefulSet>('StatefulSet', 'db'),
          set => set.status?.observedGeneration === set.metadata?.generation && isRight(set),
          { timeoutMs: 60_000, what: `the stateful set on the ${side.name} side` },
        );
      const rollingUpdate = { partition: 1 };
      const spec = { replicas: 3, serviceName: 'db', selector: { matchLabels: { app: 'db' } }, updateStrategy: { rollingUpdate } };
      await side.create('StatefulSet', 'db', { spec: { ...spec, template: template('db', 'db:1') } });
      await until(({ status }) => status?.readyReplicas === 3);
      await side.patch('StatefulSet', 'db', { spec: { template: template('db', 'db:2') } });
      await until(({ status }) => status?.updatedReplicas === 2 && status.readyReplicas === 3);
      await side.patch('StatefulSet', 'db', { spec: { replicas: 2 } });
      await until(({ status }) => status?.replicas === 2);
    });
  });

  test('a parallel stateful set that counts from three, on delete', async () => {
    await compare('parallel', ['StatefulSet', 'ControllerRevision', 'Pod'], async side => {
      const until = (isRight: (status: NonNullable<StatefulSet['status']>) => boolean) =>
        eventually(
          () => side.get<StatefulSet>('StatefulSet', 'db'),
          ({ status, metadata }) => status?.observedGeneration === metadata?.generation && isRight(status!),
          { timeoutMs: 60_000, what: `the stateful set on the ${side.name} side` },
        );
      const selector = { matchLabels: { app: 'db' } };
      const spec = { replicas: 3, podManagementPolicy: 'Parallel', ordinals: { start: 3 }, updateStrategy: { type: 'OnDelete' }, selector };
      await side.create('StatefulSet', 'db', { spec: { ...spec, template: template('db', 'db:1') } });
      await until(status => status.readyReplicas === 3);
      await side.patch('StatefulSet', 'db', { spec: { template: template('db', 'db:2') } });
      await until(status => status.currentRevision !== status.updateRevision);
      await side.delete('Pod', 'db-4');
      await until(status => status.updatedReplicas === 1 && status.readyReplicas === 3);
      await side.patch('StatefulSet', 'db', { spec: { replicas: 2 } });
      await until(status => status.replicas === 2);
    });
  });

  for (const [words, rollingUpdate] of [
    ['', {}],
    [' with surge', { maxSurge: 1, maxUnavailable: 0 }],
  ] as const)
    test(`a daemon set, updated${words}`, async () => {
      await compare(`daemons${words.replaceAll(' ', '-')}`, ['DaemonSet', 'ControllerRevision'], async side => {
        const isDone = async () => {
          const { metadata, ...rest } = await side.get('DaemonSet', 'agent');
          const { observedGeneration, numberAvailable, updatedNumberScheduled } = rest['status'] as Record<string, number>;
          return observedGeneration === metadata.generation && numberAvailable === 3 && updatedNumberScheduled === 3;
        };
        await side.create('DaemonSet', 'agent', {
          spec: { selector: { matchLabels: { app: 'agent' } }, updateStrategy: { rollingUpdate }, template: template('agent', 'agent:1') },
        });
        await eventually(isDone, Boolean, { timeoutMs: 60_000 });
        await side.patch('DaemonSet', 'agent', { spec: { template: template('agent', 'agent:2') } });
        await eventually(isDone, Boolean, { timeoutMs: 60_000 });
      });
    });

  test('a disruption budget, also over pods that nobody manages', async () => {
    await compare('guarded', ['PodDisruptionBudget'], async side => {
      await side.create('Deployment', 'web', deployment(4));
      await untilDeployment(side, isComplete);
      await side.create('PodDisruptionBudget', 'guard', { spec: { maxUnavailable: '30%', selector: { matchLabels: { app: 'web' } } } });
      const loose = { metadata: { labels: { app: 'loose' } }, spec: { containers: [{ name: 'main', image: 'loose' }] } };
      await side.create('Pod', 'loose', loose);
      await side.create('PodDisruptionBudget', 'loose', { spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'loose' } } } });
      await side.create('PodDisruptionBudget', 'nobody', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'nobody' } } } });
      await eventually(async () => {
        const budget = await side.get<PodDisruptionBudget>('PodDisruptionBudget', 'guard');
        return budget.status?.disruptionsAllowed === 2;
      });
    });
  });

  test('autoscalers without metrics and without a target', async () => {
    await compare('autoscaled', ['HorizontalPodAutoscaler'], async side => {
      const metric = { name: 'queue' };
      const metrics = {
        cpu: { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        pods: { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '1' } } },
        object: {
          type: 'Object',
          object: { metric, describedObject: { kind: 'Service', name: 'web' }, target: { type: 'Value', value: '1' } },
        },
        external: { type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '1' } } },
      };
      for (const [name, one] of Object.entries(metrics)) {
        const labels = { matchLabels: { app: name } };
        await side.create('Deployment', name, { spec: { replicas: 1, selector: labels, template: template(name, `${name}:1`) } });
        await side.create('HorizontalPodAutoscaler', name, autoscaler(name, one));
      }
      await side.create('HorizontalPodAutoscaler', 'lost', autoscaler('nowhere', metrics.cpu));
      const isJudged = (one: KubeObject) => (one as unknown as AutoscalingV2HorizontalPodAutoscaler).status?.conditions !== undefined;
      await eventually(
        () => side.list('HorizontalPodAutoscaler'),
        all => all.every(isJudged),
        { timeoutMs: 60_000 },
      );
    });
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
