import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, Deployment, Namespace, Secret, Service } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { workConditions } from '../../../api/work.ts';
import { findCondition } from '../../../api/conditions.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { Job } from '../../../../test/helpers/release-rig.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { startClusterRunsWorld, targetNamespace, type ClusterRunsWorld } from '../../../../test/helpers/cluster-runs-world.ts';

const configMap = (name: string, value: string, annotations = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, annotations },
  data: { value },
});

const service = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
});

const deployment = (image: string, replicas = 1): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image, envFrom: [{ configMapRef: { name: 'config' } }] }] },
    },
  },
});

const color = async (world: ClusterRunsWorld, cluster: string, name: string) =>
  (await world.get(cluster, Service, name))?.spec?.selector?.['harness.io/color'];

const recordStatus = async (world: ClusterRunsWorld, cluster: string, number: number) =>
  (await world.get(cluster, Secret, `harness.release.web.${number}`))?.metadata.labels?.['status'];

test('rolling deployments: numbers, versions, retention, rollback', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const deploy = async (value: string, replicas = 1) => {
    world.manifests = [configMap('config', value), service('web'), deployment(`web:${value}`, replicas)];
    const run = await world.begin({});
    const { status } = await run.step('east', 'RollingDeploy', { isLast: true });
    assert.equal(status?.step?.status, 'Succeeded', JSON.stringify(status));
    return { run, status };
  };
  const image = async () => (await world.get('east', Deployment, 'web'))?.spec?.template.spec?.containers[0]?.image;

  const { run, status } = await deploy('a', 2);
  assert.equal(status.phase, 'Succeeded');
  assert.equal(status.releaseNumber, 1);
  assert.equal((await world.get('east', Deployment, 'web'))?.status?.availableReplicas, 2);
  assert.ok(await world.get('east', ConfigMap, 'config-1'));
  assert.equal(await recordStatus(world, 'east', 1), 'Succeeded');
  assert.deepEqual(await run.log('east', 'Fetch Files'), ['Fetched https://git.example/web.git at commit c0ffee', 'Done.']);
  const wrapped = await run.log('east', 'Wrap Up');
  assert.equal(wrapped[0], 'Pods of the release : 2');
  assert.match(wrapped[1] ?? '', /^- web-\S+ : Running on \S+$/);
  assert.equal(wrapped.at(-1), 'Done.');
  assert.deepEqual(
    status.pods,
    wrapped.slice(1, -1).map(line => line.split(' ')[1]),
  );
  assert.deepEqual(await run.log('east', 'Apply'), [
    'prod/ConfigMap/config-1 applied',
    'prod/Service/web applied',
    'prod/Deployment/web applied',
    'Done.',
  ]);
  const wait = await run.log('east', 'Wait for Steady State');
  assert.equal(wait.at(-1), 'Done.');
  assert.equal(wait.at(-2), 'Status : Deployment/web: 2 of 2 replicas are available');
  assert.match(wait.join('\n'), /^Event {2}: Deployment\/web {3}Scaled up replica set/m);

  const second = await deploy('b');
  assert.equal(second.status.releaseNumber, 2);
  assert.equal(second.status.previousRelease, 1);
  assert.ok(await world.get('east', ConfigMap, 'config-1'));
  assert.ok(await world.get('east', ConfigMap, 'config-2'));
  assert.deepEqual((await second.run.log('east', 'Prepare')).slice(-6), [
    'Current release number is: 2',
    'Previous Successful Release is 1',
    'Cleaning up older and failed releases',
    'Found following Managed Workloads: ',
    '- Deployment/web',
    'Done.',
  ]);

  await deploy('c');
  const fourth = await deploy('d');
  await eventually(
    () => world.get('east', ConfigMap, 'config-1'),
    found => found === undefined,
  );
  assert.equal(await world.get('east', Secret, 'harness.release.web.1'), undefined);
  assert.ok(await world.get('east', ConfigMap, 'config-2'));

  const back = await fourth.run.step('east', 'RollingRollback', { isRollback: true, isLast: true });
  assert.equal(back.status?.step?.status, 'Succeeded', JSON.stringify(back.status));
  assert.equal(back.status?.phase, 'RolledBack');
  assert.equal(await image(), 'web:c');
  assert.equal(await recordStatus(world, 'east', 4), 'Failed');
  assert.equal(await recordStatus(world, 'east', 3), 'Succeeded');
  assert.equal((await fourth.run.log('east', 'Rollback'))[0], 'Rolling back to release 3');

  // A grant of old is not obeyed.
  const before = await world.work('east');
  await fourth.run.stand('east', 'Skipped');
  assert.equal(
    (
      await eventually(
        () => fourth.run.read('east'),
        one => one.status?.phase === 'Skipped',
      )
    ).status?.grant,
    2,
  );
  assert.equal((await world.work('east'))?.metadata.resourceVersion, before?.metadata.resourceVersion);
});

test('what a member refuses fails the step before anything is written', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  world.manifests = [configMap('config', 'a'), deployment('web:1')];
  await (await world.begin({})).step('east', 'RollingDeploy');
  const before = await world.work('east');
  const bad = deployment('web:2');
  (bad['spec'] as { replicas: unknown }).replicas = -1;
  world.manifests = [configMap('config', 'b'), bad];
  const run = await world.begin({});
  const { status } = await run.step('east', 'RollingDeploy');
  assert.equal(status?.step?.status, 'Failed');
  assert.equal(status?.step?.failureType, 'ApplicationError');
  assert.match(status?.failure?.message ?? '', /spec\.replicas/);
  assert.equal((await world.work('east'))?.metadata.generation, before?.metadata.generation);
  assert.equal((await run.log('east', 'Initialize')).at(-1), 'Failed.');
  const back = await run.step('east', 'RollingRollback', { isRollback: true });
  assert.equal(back.status?.step?.status, 'Skipped');
  assert.equal(back.status?.step?.message, 'No context found for rollback. Skipping.');

  world.manifests = [configMap('unrenderable', 'b')];
  const unrendered = await run.step('east', 'RollingDeploy');
  assert.equal(unrendered.status?.step?.message, 'cannot render for east');
});

test('a workload that never becomes steady times out, and its pods tell why', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const stuck = deployment('web:1');
  (stuck['spec'] as { template: { spec: object } }).template.spec = {
    nodeSelector: { disk: 'none' },
    containers: [{ name: 'web', image: 'web:1' }],
  };
  world.manifests = [stuck];
  const run = await world.begin({});
  const { status } = await run.step('east', 'RollingDeploy', { timeout: '2s' });
  assert.equal(status?.step?.status, 'TimedOut');
  assert.equal(status?.step?.failureType, 'Timeout');
  assert.equal(status?.step?.message, 'Timed out while waiting for k8s task to complete');
  const wait = await run.log('east', 'Wait for Steady State');
  assert.equal(wait.at(-1), 'Failed.');
  assert.match(wait.join('\n'), /^Pod web-\S+: Pending/m);
  await eventually(
    () => recordStatus(world, 'east', 1),
    one => one === 'Failed',
  );
  const back = await run.step('east', 'RollingRollback', { isRollback: true });
  assert.equal(back.status?.step?.message, "No previous eligible release found. Can't rollback.");
});

const noLatest = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'no-latest' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] }],
    },
    validations: [{ expression: '!object.spec.template.spec.containers[0].image.endsWith(":latest")', message: 'no latest' }],
  },
};
const policyKind = { group: 'admissionregistration.k8s.io', version: 'v1', scope: 'Cluster' } as const;
const Policy: KindRef = { ...policyKind, kind: 'ValidatingAdmissionPolicy', resource: 'validatingadmissionpolicies' };
const Binding: KindRef = { ...policyKind, kind: 'ValidatingAdmissionPolicyBinding', resource: 'validatingadmissionpolicybindings' };
const Quota: KindRef = { group: '', version: 'v1', kind: 'ResourceQuota', resource: 'resourcequotas', scope: 'Namespaced' };

test('what rules of a member deny is a failure of type Policy: before anything is written, afterwards, and of pods', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const east = world.member('east');
  await east.create(Policy, noLatest);
  await east.create(Binding, {
    apiVersion: noLatest.apiVersion,
    kind: Binding.kind,
    metadata: { name: 'no-latest' },
    spec: { policyName: 'no-latest', validationActions: ['Deny'] },
  });
  world.manifests = [deployment('web:latest')];
  const asked = await eventually(
    async () => {
      const run = await world.begin({});
      return { run, status: (await run.step('east', 'RollingDeploy', { timeout: '5s' })).status };
    },
    ({ status }) => status?.step?.status === 'Failed',
    { what: 'the policy to be in force' },
  );
  assert.equal(asked.status?.failure?.type, 'Policy', JSON.stringify(asked.status));
  assert.match((await asked.run.log('east', 'Initialize')).join('\n'), /the admission policy "no-latest" of the member denies it/);

  // Nobody asked before.
  const unasked = await (await world.begin({})).step('east', 'RollingDeploy', { with: { skipDryRun: true }, timeout: '2s' });
  assert.equal(unasked.status?.failure?.type, 'Policy', JSON.stringify(unasked.status));

  // What is wrong besides is the manifest's own fault.
  const wrong = deployment('web:latest', -1);
  world.manifests = [{ ...wrong, metadata: { name: 'other' } }, configMap('Not-A-Name', 'a'), deployment('web:latest')];
  const both = await (await world.begin({})).step('east', 'RollingDeploy');
  assert.equal(both.status?.failure?.type, 'ApplicationError');

  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'small', namespace: targetNamespace } };
  await east.create(Quota, { ...quota, spec: { hard: { pods: '0' } } });
  world.manifests = [deployment('web:1')];
  const pods = await world.begin({});
  const { status } = await pods.step('east', 'RollingDeploy', { timeout: '3s' });
  assert.equal(status?.failure?.type, 'Policy', JSON.stringify(status));
  assert.match(
    status?.failure?.message ?? '',
    /^Timed out while waiting for k8s task to complete: Deployment\/web: 0 out of 1 .*exceeded quota/,
  );

  // Of other workloads only events tell.
  const set = deployment('web:1');
  const { selector, template } = set['spec'] as Record<string, unknown>;
  world.manifests = [
    deployment('web:1'),
    { ...set, kind: 'StatefulSet', metadata: { name: 'db' }, spec: { serviceName: 'db', selector, template } },
  ];
  (world.manifests[0]!['spec'] as { replicas: number }).replicas = 0;
  const ordinal = await (await world.begin({})).step('east', 'RollingDeploy', { timeout: '3s' });
  assert.equal(ordinal.status?.failure?.type, 'Policy', JSON.stringify(ordinal.status));
  assert.match(ordinal.status?.failure?.message ?? '', /StatefulSet\/db: .*the quota "small" is used up/);

  // Whoever puts it right in time is not held against the step.
  await east.delete(Quota, { namespace: targetNamespace, name: 'small' });
  const right = await (await world.begin({})).step('east', 'RollingDeploy');
  assert.equal(right.status?.step?.status, 'Succeeded', JSON.stringify(right.status));
});

test('what is deleted on a member while a step waits for it fails the step at once', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const east = world.member('east');
  const stuck = deployment('web:1');
  (stuck['spec'] as { template: { spec: object } }).template.spec = {
    nodeSelector: { disk: 'none' },
    containers: [{ name: 'web', image: 'web:1' }],
  };
  world.manifests = [stuck];
  const deploy = async () => {
    const run = await world.begin({});
    const id = await run.grant('east', 'RollingDeploy');
    await eventually(
      async () => run.log('east', 'Wait for Steady State'),
      lines => lines.length > 0,
      { what: 'the wait' },
    );
    return { run, id };
  };
  const alone = await deploy();
  await east.delete(Deployment, { namespace: targetNamespace, name: 'web' });
  const { status } = await alone.run.over('east', alone.id);
  assert.equal(status?.step?.status, 'Failed');
  assert.equal(status?.step?.failureType, 'ApplicationError');
  assert.equal(status?.step?.message, 'Deployment/web: it was deleted on the cluster while the step waited for it');

  const all = await deploy();
  await east.delete(Namespace, { name: targetNamespace });
  const gone = await all.run.over('east', all.id);
  assert.match(gone.status?.step?.message ?? '', /^Deployment\/web: namespace "prod" (?:was|is being) deleted on the cluster$/);
  const lines = await all.run.log('east', 'Wait for Steady State');
  assert.match(lines.at(-2) ?? '', /namespace "prod" (?:was|is being) deleted on the cluster/);
  assert.equal(lines.at(-1), 'Failed.');
});

test('an abort cuts the wait short and undoes nothing', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const stuck = deployment('web:1');
  (stuck['spec'] as { template: { spec: object } }).template.spec = {
    nodeSelector: { disk: 'none' },
    containers: [{ name: 'web', image: 'web:1' }],
  };
  world.manifests = [stuck];
  const run = await world.begin({});
  const id = await run.grant('east', 'RollingDeploy');
  await eventually(() => world.get('east', Deployment, 'web'));
  await run.stand('east', 'Aborted');
  const { status } = await run.over('east', id);
  assert.equal(status?.phase, 'Aborted');
  assert.equal(status?.step?.message, 'Aborted');
  assert.ok(await world.get('east', Deployment, 'web'));
});

test('a canary beside production, its end, and the primary phase under the same number', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const canary = { type: 'Canary' as const };
  world.manifests = [configMap('config', 'a'), service('web'), deployment('web:a', 4)];
  await (await world.begin(canary)).step('east', 'RollingDeploy', { isLast: true });
  world.manifests = [configMap('config', 'b'), service('web'), deployment('web:b', 4)];
  const run = await world.begin(canary);
  const begun = await run.step('east', 'CanaryDeploy', { with: { instances: '50', unit: 'Percentage' }, phase: 'Canary' });
  assert.equal(begun.status?.step?.status, 'Succeeded', JSON.stringify(begun.status));
  assert.deepEqual(begun.status?.canary, {
    workload: `${targetNamespace}/Deployment/web-canary, ${targetNamespace}/ConfigMap/config-2`,
    instances: 2,
  });
  assert.equal((await world.get('east', Deployment, 'web-canary'))?.status?.availableReplicas, 2);
  assert.equal((await world.get('east', Deployment, 'web'))?.spec?.template.spec?.containers[0]?.image, 'web:a');
  assert.equal(await recordStatus(world, 'east', 2), 'InProgress');

  const deleted = await run.step('east', 'Delete', { with: { resources: '${k8s.canaryWorkload}' }, phase: 'Canary' });
  assert.equal(deleted.status?.step?.status, 'Succeeded', JSON.stringify(deleted.status));
  await eventually(
    () => world.get('east', Deployment, 'web-canary'),
    found => found === undefined,
  );
  assert.match((await run.log('east', 'Delete')).join('\n'), /^Resources to delete are: \n- prod\/Deployment\/web-canary\n/);

  const primary = await run.step('east', 'RollingDeploy', { phase: 'Primary', isLast: true });
  assert.equal(primary.status?.releaseNumber, 2);
  assert.equal(await recordStatus(world, 'east', 2), 'Succeeded');
  assert.equal((await world.get('east', Deployment, 'web'))?.spec?.template.spec?.containers[0]?.image, 'web:b');
});

test('blue/green: stage, swap, rollback, whoever is killed meanwhile', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const swap = { service1: '${k8s.primaryServiceName}', service2: '${k8s.stageServiceName}' };
  const deploy = async (value: string) => {
    world.manifests = [configMap('config', value), service('web'), deployment(`web:${value}`)];
    const run = await world.begin({ type: 'BlueGreen' });
    const staged = await run.step('east', 'StageDeploy');
    assert.equal(staged.status?.step?.status, 'Succeeded', JSON.stringify(staged.status));
    return { run, staged };
  };
  const first = await deploy('a');
  assert.deepEqual(first.staged.status?.blueGreen, {
    primaryService: 'web',
    stageService: 'web-stage',
    primaryColorBefore: '',
    stageColor: 'blue',
    swapped: false,
  });
  assert.equal(await color(world, 'east', 'web'), 'green');
  assert.equal(await color(world, 'east', 'web-stage'), 'blue');
  const swapped = await first.run.step('east', 'SwapServices', { with: swap, isLast: true });
  assert.equal(swapped.status?.step?.status, 'Succeeded', JSON.stringify(swapped.status));
  assert.equal(swapped.status?.blueGreen?.swapped, true);
  assert.equal(await color(world, 'east', 'web'), 'blue');
  // There was nothing before the first.
  const noop = await first.run.step('east', 'SwapServices', { with: swap, isRollback: true });
  assert.equal(noop.status?.step?.message, 'No previous eligible release found.');
  assert.equal(await color(world, 'east', 'web'), 'blue');

  const second = await deploy('b');
  assert.equal(second.staged.status?.blueGreen?.stageColor, 'green');
  const id = await second.run.grant('east', 'SwapServices', { with: swap });
  world.restart();
  const done = await second.run.over('east', id);
  assert.equal(done.status?.step?.status, 'Succeeded');
  assert.equal(await color(world, 'east', 'web'), 'green');
  assert.equal(await color(world, 'east', 'web-stage'), 'blue');
  // Again is not back.
  await second.run.step('east', 'SwapServices', { with: swap });
  assert.equal(await color(world, 'east', 'web'), 'green');
  const lines = await second.run.log('east', 'Swap Service Selectors');
  assert.equal(lines[0], 'Selectors for Service One : [name:web]');
  assert.ok(lines.includes('Swapping Service Selectors..'));
  assert.equal(lines.at(-1), 'Done.');

  const back = await second.run.step('east', 'SwapServices', { with: swap, isRollback: true, isLast: true });
  assert.equal(back.status?.phase, 'RolledBack');
  assert.equal(await color(world, 'east', 'web'), 'blue');
  assert.equal(back.status?.blueGreen?.swapped, false);
  const skipped = await second.run.step('east', 'SwapServices', { with: swap, isRollback: true });
  assert.equal(skipped.status?.step?.message, 'Services were not swapped in the deployment phase. Skipping.');
});

test('the color that production has left is scaled down later, and up again on the way back', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const swap = { service1: 'web', service2: 'web-stage', scaleDownOld: { after: '1s' } };
  const autoscaler: KubeObject = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  };
  for (const value of ['a', 'b']) {
    world.manifests = [configMap('config', value), service('web'), deployment(`web:${value}`), autoscaler];
    const run = await world.begin({ type: 'BlueGreen' });
    await run.step('east', 'StageDeploy');
    const done = await run.step('east', 'SwapServices', { with: swap, isLast: true });
    assert.equal(done.status?.step?.status, 'Succeeded', JSON.stringify(done.status));
    if (value === 'a') continue;
    await eventually(
      () => world.get('east', Deployment, 'web-blue'),
      one => one?.spec?.replicas === 0,
    );
    assert.equal((await world.get('east', Deployment, 'web-green'))?.spec?.replicas, 1);
    await eventually(
      () => run.read('east'),
      one => one.status?.scaleDownAt === undefined,
    );
    const back = await run.step('east', 'SwapServices', { with: swap, isRollback: true, isLast: true });
    assert.equal(back.status?.phase, 'RolledBack', JSON.stringify(back.status));
    assert.equal((await world.get('east', Deployment, 'web-blue'))?.status?.availableReplicas, 1);
    assert.equal(await color(world, 'east', 'web'), 'blue');
  }
});

test('steps that are killed over and over end in the same place', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  let killing = true;
  const killer = (async () => {
    for (let ms = 1; killing; ms = ms > 400 ? 1 : ms * 1.7) {
      await new Promise(resolve => setTimeout(resolve, ms));
      world.restart();
    }
  })();
  for (const value of ['a', 'b', 'c']) {
    world.manifests = [configMap('config', value), service('web'), deployment(`web:${value}`)];
    const run = await world.begin({});
    const { status } = await run.step('east', 'RollingDeploy');
    assert.equal(status?.step?.status, 'Succeeded', JSON.stringify(status));
  }
  killing = false;
  await killer;
  assert.equal(await recordStatus(world, 'east', 3), 'Succeeded');
  assert.equal(await world.get('east', Secret, 'harness.release.web.4'), undefined);
});

test('a preview tells what would change and changes nothing', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const secret = (value: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'token', annotations: { 'harness.io/skip-versioning': 'true' } },
    stringData: { token: value },
  });
  world.manifests = [configMap('config', 'a'), secret('first-token'), service('web'), service('old'), deployment('web:a')];
  await (await world.begin({ prune: { enabled: true } })).step('east', 'RollingDeploy');
  const before = await world.work('east');
  world.manifests = [configMap('config', 'b'), secret('other-token'), service('web'), service('new'), deployment('web:b')];
  const run = await world.begin({ prune: { enabled: true } }, { mode: 'Preview' });
  const { status } = await run.step('east', 'Preview', { isLast: true });
  assert.equal(status?.step?.status, 'Succeeded', JSON.stringify(status));
  const { preview } = status;
  assert.deepEqual(preview?.create, ['prod/ConfigMap/config-2', 'prod/Service/new']);
  assert.deepEqual(preview?.update, ['prod/Secret/token', 'prod/Deployment/web']);
  assert.deepEqual(preview?.prune, ['prod/Service/old']);
  assert.equal(preview?.unchanged, 2);
  assert.equal(preview?.releaseNumber, 2);
  const lines = (await run.log('east', 'Preview')).join('\n');
  assert.match(lines, /^-\s+image: web:a$/m);
  assert.match(lines, /^\+\s+image: web:b$/m);
  assert.doesNotMatch(lines, /other-token|b3RoZXItdG9rZW4/);
  const after = await world.work('east');
  assert.equal(after?.metadata.generation, before?.metadata.generation);
  assert.equal(await world.get('east', Service, 'new'), undefined);

  // What others do in between is told, and keeps nobody.
  const edit = { type: 'merge', body: { metadata: { labels: { edited: 'yes' } } } } as const;
  await world.member('east').patch(Service, { namespace: targetNamespace, name: 'web' }, edit);
  const done = await world.begin({ prune: { enabled: true } }, { previewRef: run.name });
  assert.equal((await done.step('east', 'RollingDeploy')).status?.step?.status, 'Succeeded');
  assert.deepEqual(await done.log('east', 'Preview'), [`prod/Service/web has changed since preview ${run.name}`, 'Done.']);
});

test('a cluster that is watched tells when it is ill', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  world.manifests = [deployment('web:a')];
  (world.manifests[0]!['spec'] as { template: { spec: object } }).template.spec = { containers: [{ name: 'web', image: 'web:1' }] };
  const run = await world.begin({});
  await run.step('east', 'RollingDeploy', { isLast: true });
  await run.setWaves([{ name: 'all', phase: 'Soaking', clusters: [world.id('east')] }]);
  const well = await eventually(
    () => run.read('east'),
    one => one.status?.soak !== undefined,
  );
  assert.equal(well.status?.soak?.illSince, undefined);
  assert.equal(well.status?.phase, 'Soaking');
  await world.member('east').patch(
    Deployment,
    { namespace: targetNamespace, name: 'web' },
    {
      type: 'merge',
      body: { spec: { template: { spec: { nodeSelector: { disk: 'none' } } } } },
    },
  );
  await eventually(
    () => run.read('east'),
    one => one.status?.soak?.illSince !== undefined,
  );
  await run.setWaves([{ name: 'all', phase: 'Succeeded', clusters: [world.id('east')] }]);
  const after = await eventually(
    () => run.read('east'),
    one => one.status?.soak === undefined,
  );
  assert.equal(after.status?.phase, 'Succeeded');
});

test('drift after success is told once, and not while a run goes on', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  world.manifests = [configMap('plain', 'a', { 'harness.io/skip-versioning': 'true' })];
  const run = await world.begin({ drift: { mode: 'Detect' } });
  await run.step('east', 'RollingDeploy', { isLast: true });
  await eventually(
    () => world.work('east'),
    one => one?.spec.sync === 'DetectDrift',
  );
  await world
    .member('east')
    .patch(ConfigMap, { namespace: targetNamespace, name: 'plain' }, { type: 'merge', body: { data: { value: 'z' } } });
  const told = await eventually(
    () => run.read('east'),
    one => findCondition(one, workConditions.drifted)?.status === 'True',
  );
  assert.deepEqual(
    told.status?.drift?.map(({ object, path }) => [object, path]),
    [['prod/ConfigMap/plain', '.data.value']],
  );
  assert.equal(world.happenings.filter(({ event }) => event === 'DriftDetected').length, 1);
  const metadata = { namespace: told.metadata.namespace!, name: run.name };
  await world.hub.apply(WorkflowRun, { metadata, status: { phase: 'Succeeded' } }, { subresource: 'status', fieldManager: 'test-end' });
  const next = await world.begin({ drift: { mode: 'Correct' } });
  await next.step('east', 'RollingDeploy', { isLast: true });
  assert.equal((await world.get('east', ConfigMap, 'plain'))?.data?.['value'], 'a');
  assert.equal((await next.read('east')).status?.drift, undefined);
  // What the cluster holds is not what the first run left there any more.
  await eventually(
    () => run.read('east'),
    one => findCondition(one, workConditions.drifted) === undefined && one.status?.drift === undefined,
  );
});

test('Apply and Job run to their end and are left alone; Scale changes replicas', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  world.manifests = [configMap('config', 'a'), deployment('web:a')];
  const run = await world.begin({});
  await run.step('east', 'RollingDeploy');
  const scaled = await run.step('east', 'Scale', { with: { workload: 'Deployment/web', instances: 3 } });
  assert.equal(scaled.status?.step?.status, 'Succeeded', JSON.stringify(scaled.status));
  assert.equal((await world.get('east', Deployment, 'web'))?.status?.availableReplicas, 3);
  world.files.set('extra.yaml', [configMap('extra', 'x')]);
  const applied = await run.step('east', 'Apply', { with: { filePaths: 'extra.yaml' } });
  assert.equal(applied.status?.step?.status, 'Succeeded', JSON.stringify(applied.status));
  assert.ok(await world.get('east', ConfigMap, 'extra'));
  // What others undid meanwhile is done again, though the Work says the same as before.
  const member = world.member('east');
  const extra = { namespace: targetNamespace, name: 'extra' };
  await member.delete(ConfigMap, extra);
  assert.equal((await run.step('east', 'Apply', { with: { filePaths: 'extra.yaml' } })).status?.step?.status, 'Succeeded');
  assert.ok(await world.get('east', ConfigMap, 'extra'));
  for (const attempt of [1, 2]) {
    await member.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...extra, name: 'stray' } });
    assert.equal((await run.step('east', 'Delete', { with: { resources: 'ConfigMap/stray' } })).status?.step?.status, 'Succeeded');
    assert.equal(await world.get('east', ConfigMap, 'stray'), undefined, `after delete ${attempt}`);
  }
  const job = `apiVersion: batch/v1
kind: Job
metadata: { name: once-\${cluster.name} }
spec:
  backoffLimit: 0
  template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "x" }] } }`;
  const worked = await run.step('east', 'Job', { with: { manifest: job } });
  assert.equal(worked.status?.step?.status, 'Succeeded', JSON.stringify(worked.status));
  assert.equal((await run.log('east', 'Wait for Steady State')).at(-1), 'Done.');
  // The next run has one of its own, also when it is another one.
  const next = await world.begin({});
  const again = await next.step('east', 'Job', { with: { manifest: job.replace('"x"', '"y"') } });
  assert.equal(again.status?.step?.status, 'Succeeded', JSON.stringify(again.status));
  const { items: jobs } = await world.member('east').list(Job, { namespace: targetNamespace });
  assert.equal(jobs.length, 2);
  const garbled = await run.step('east', 'Job', { with: { manifest: 'kind: [' } });
  assert.equal(garbled.status?.step?.status, 'Failed');
  // It has run; nobody makes it run again.
  assert.doesNotMatch(JSON.stringify((await world.work('east'))?.spec.manifests), /once-east/);
  const unresolved = await run.step('east', 'Apply', { with: { filePaths: '${context.nothing}' } });
  assert.match(unresolved.status?.step?.message ?? '', /cannot resolve \$\{context\.nothing\}/);
});

test('runs of the same release that do not wait for each other do one step after the other', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const slow = deployment('web:a');
  const { template } = slow['spec'] as { template: { metadata: object } };
  template.metadata = { labels: { app: 'web' }, annotations: { 'sandbox.drover.io/ready-after': '500ms' } };
  world.manifests = [configMap('config', 'a'), slow];
  const both = [await world.begin({}), await world.begin({})];
  const ids = await Promise.all(both.map(run => run.grant('east', 'RollingDeploy', { isLast: true })));
  const ends = await Promise.all(both.map((run, i) => run.over('east', ids[i]!)));
  assert.deepEqual(
    ends.map(({ status }) => status?.step?.status),
    ['Succeeded', 'Succeeded'],
  );
  assert.deepEqual(ends.map(({ status }) => status?.releaseNumber).sort(), [1, 2]);
  // Each has a beginning and an end.
  assert.equal((await world.work('east'))?.metadata.generation, 4);
});

test('a member that comes back in time is waited for, also when the clock of the hub is set meanwhile', async t => {
  let aheadMs = 0;
  const world = await startClusterRunsWorld(t, { clusters: ['east'], now: () => new Date(Date.now() + aheadMs) });
  world.manifests = [configMap('config', 'a'), deployment('web:a')];
  world.cut('east');
  const run = await world.begin({});
  const id = await run.grant('east', 'RollingDeploy');
  await eventually(
    () => run.read('east'),
    one => one.status?.step?.status === 'Running',
  );
  aheadMs = 86_400_000;
  world.mend('east');
  const { status } = await run.over('east', id);
  assert.equal(status?.step?.status, 'Succeeded', JSON.stringify(status));
  assert.equal(status.releaseNumber, 1);
});

test('a member that cannot be asked at its first deployment fails the step for that, which is said meanwhile', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  world.manifests = [configMap('config', 'a')];
  world.cut('east');
  const run = await world.begin({});
  const id = await run.grant('east', 'RollingDeploy', { timeout: '2s' });
  const trying = await eventually(
    () => run.read('east'),
    one => one.status?.checkpoint?.message !== undefined,
  );
  assert.equal(trying.status?.checkpoint?.failureType, 'Connectivity');
  const { status } = await run.over('east', id);
  assert.deepEqual([status?.step?.status, status?.failure?.type], ['Failed', 'Connectivity']);
  assert.match(status?.failure?.message ?? '', /the wire to "east" is cut/);
  assert.match((await run.log('east', 'Initialize')).join('\n'), /the wire to "east" is cut\nFailed\.$/);
});

test('objects are written as the workflow says: by whom, and whether others must give way', async t => {
  const world = await startClusterRunsWorld(t, { clusters: ['east'] });
  const plain = (value: string) => configMap('plain', value, { 'harness.io/skip-versioning': 'true' });
  const edit = (fieldManager: string) =>
    world
      .member('east')
      .patch(
        ConfigMap,
        { namespace: targetNamespace, name: 'plain' },
        { type: 'merge', body: { data: { value: 'theirs' } } },
        { fieldManager },
      );
  const managers = async () =>
    (await world.get('east', ConfigMap, 'plain'))?.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`);
  world.manifests = [plain('a')];
  const careful = { apply: { fieldManager: 'shipper', force: false } };
  await (await world.begin(careful)).step('east', 'RollingDeploy', { isLast: true });
  assert.deepEqual(await managers(), ['shipper Apply']);
  await edit('kubectl-edit');
  world.manifests = [plain('b')];
  const run = await world.begin(careful);
  const { status } = await run.step('east', 'RollingDeploy', { isLast: true });
  assert.deepEqual([status?.step?.status, status?.failure?.type], ['Failed', 'ApplicationError']);
  assert.match(status?.failure?.message ?? '', /others own \.data\.value \("kubectl-edit"\)/);
  assert.equal((await world.get('east', ConfigMap, 'plain'))?.data?.['value'], 'theirs');
  // Who asks nobody first finds out on the member.
  const late = await run.step('east', 'RollingDeploy', { with: { skipDryRun: true } });
  assert.match(late.status?.failure?.message ?? '', /others own \.data\.value/);
  const done = await (await world.begin({ apply: { mode: 'ClientSide' } })).step('east', 'RollingDeploy', { isLast: true });
  assert.equal(done.status?.step?.status, 'Succeeded', JSON.stringify(done.status));
  const found = await world.get('east', ConfigMap, 'plain');
  assert.equal(found?.data?.['value'], 'b');
  assert.match(found?.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '', /"value":"b"/);
});
