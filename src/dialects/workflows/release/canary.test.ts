import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../api/object.ts';
import { SimulatedMember, web } from './simulated-member.ts';

const version = (value: string, replicas = 4, more: readonly KubeObject[] = []) => [
  web.deployment(`web:${value}`, { replicas }),
  web.service('web', { sessionAffinity: value === 'a' ? 'None' : 'ClientIP' }),
  web.config(value),
  ...more,
];
const settings = { isCanaryRun: true };
const withRelease = (replicas: number): SimulatedMember => {
  const member = new SimulatedMember();
  member.beginRun();
  member.step('RollingDeploy', { rendered: version('a', replicas), settings });
  member.beginRun();
  return member;
};
const replicasOf = (member: SimulatedMember) => (member.find('Deployment', 'web-canary')?.['spec'] as { replicas: number }).replicas;
const scaler: KubeObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'prod' },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
};

test('canary_count_2, canary_percent_50_of_4_is_2, canary_percent_10_of_3_is_1', () => {
  for (const [given, replicas, expected] of [
    [{ instances: '2', unit: 'Count' }, 4, 2],
    [{ instances: '50', unit: 'Percentage' }, 4, 2],
    [{ instances: 10, unit: 'Percentage' }, 3, 1],
    [{ instances: '50', unit: 'Percentage' }, 3, 2],
    [{ instances: '37', unit: 'Percentage' }, 4, 1],
    [{}, 4, 1],
  ] as const) {
    const member = withRelease(replicas);
    const begun = member.step('CanaryDeploy', { rendered: version('b', replicas), with: given, settings });
    assert.equal(begun.outcome, 'deliver');
    assert.equal(replicasOf(member), expected, JSON.stringify(given));
  }
  const member = withRelease(3);
  const begun = member.step('CanaryDeploy', { rendered: version('b', 3), with: { instances: '10', unit: 'Percentage' }, settings });
  assert.ok(begun.lines.some(({ message }) => message === 'Target instances computed to be less than 1. Bumped up to 1'));
});

test('canary_references_leaves_service_untouched', () => {
  const member = withRelease(4);
  const stable = JSON.stringify([member.find('Deployment', 'web'), member.find('Service', 'web')]);
  member.step('CanaryDeploy', { rendered: version('b', 4, [scaler, web.service('new')]), settings });
  assert.equal(JSON.stringify([member.find('Deployment', 'web'), member.find('Service', 'web')]), stable);
  assert.deepEqual(member.names('Service'), ['new', 'web']);
  assert.deepEqual(member.names('HorizontalPodAutoscaler'), []);
  assert.deepEqual(member.names('ConfigMap'), ['config-1', 'config-2']);
  assert.equal(member.state.outputs?.['canaryWorkload'], 'prod/Deployment/web-canary, prod/ConfigMap/config-2');
  const { selector, template } = member.find('Deployment', 'web-canary')?.['spec'] as {
    selector: { matchLabels: object };
    template: { metadata: { labels: object } };
  };
  assert.deepEqual(selector.matchLabels, { app: 'web', 'harness.io/track': 'canary' });
  assert.deepEqual(template.metadata.labels, { app: 'web', 'harness.io/track': 'canary', 'harness.io/release-name': 'web' });
});

test('include All applies everything, and gives the canary companions of its own', () => {
  const member = withRelease(4);
  member.step('CanaryDeploy', { rendered: version('b', 4, [scaler]), with: { include: 'All' }, settings });
  assert.deepEqual(member.names('HorizontalPodAutoscaler'), ['web-canary']);
  assert.equal((member.find('Service', 'web')?.['spec'] as Record<string, unknown>)['sessionAffinity'], 'ClientIP');
});

test('canary_failed_is_deleted, and its release has failed', () => {
  const member = withRelease(4);
  member.step('CanaryDeploy', { rendered: version('b'), settings, result: 'failed' });
  assert.ok(member.state.outputs?.['canaryWorkload'] !== undefined);
  const undo = { isCanaryRun: true, isRollback: true };
  const kept = member.step('Delete', {
    with: { resources: member.state.outputs['canaryWorkload'], keepFailedCanary: true },
    settings: undo,
  });
  assert.equal(kept.outcome, 'done');
  assert.ok(member.find('Deployment', 'web-canary'));
  member.step('Delete', { with: { resources: '${k8s.canaryWorkload}' }, settings: undo });
  assert.deepEqual(member.names('Deployment'), ['web']);
  assert.deepEqual(member.names('ConfigMap'), ['config-1']);
  assert.equal(member.book.records.find(({ number }) => number === 2)?.status, 'Failed');
  const again = member.step('Delete', { with: { resources: '${k8s.canaryWorkload}' }, settings: { ...undo } });
  assert.equal(again.outcome, 'deliver');
});

test('without a canary there is nothing to delete', () => {
  const member = withRelease(1);
  const begun = member.step('Delete', { with: { resources: '${k8s.canaryWorkload}' } });
  assert.equal(begun.outcome === 'done' && begun.message, 'No canary workloads to be deleted. Skipping.');
});

test('primary_reuses_number_marks_succeeded', () => {
  const member = withRelease(4);
  member.step('CanaryDeploy', { rendered: version('b'), settings, crashes: 2 });
  assert.equal(member.book.records.at(-1)?.status, 'InProgress');
  member.step('Delete', { with: { resources: member.state.outputs!['canaryWorkload'] }, settings });
  assert.equal(member.book.records.at(-1)?.status, 'InProgress');
  member.step('RollingDeploy', { rendered: version('b'), settings, crashes: 1 });
  assert.deepEqual(
    member.book.records.map(({ number, status }) => [number, status]),
    [
      [1, 'Succeeded'],
      [2, 'Succeeded'],
    ],
  );
  assert.deepEqual(member.names('ConfigMap'), ['config-1', 'config-2']);
  // A run that was cut short in the middle does not hold up the next.
  member.beginRun();
  member.step('CanaryDeploy', { rendered: version('c'), settings });
  member.beginRun();
  member.step('CanaryDeploy', { rendered: version('d'), settings });
  assert.equal(member.state.releaseNumber, 4);
  assert.equal(member.book.records.find(({ number }) => number === 3)?.status, 'Failed');
});

test('more than one workload, or none, is refused', () => {
  const member = new SimulatedMember();
  member.beginRun();
  const two = member.step('CanaryDeploy', { rendered: [...version('a'), web.deployment('x', { name: 'other' })] });
  assert.equal(
    two.outcome === 'failed' && two.message,
    'More than one workloads found in the Manifests. Canary deploy supports only one workload. Others should be marked with annotation harness.io/direct-apply: true',
  );
  assert.equal(member.step('CanaryDeploy', { rendered: [web.config('a')] }).outcome, 'failed');
});

test('Delete takes names, everything, and refuses what is no name', () => {
  const member = withRelease(1);
  member.step('RollingDeploy', { rendered: version('b'), settings });
  assert.equal(member.step('Delete', { with: { resources: 'Deployment' } }).outcome, 'failed');
  assert.equal(member.step('Delete', { with: { resources: 'Unheard/of' } }).outcome, 'failed');
  member.step('Delete', { with: { resources: 'service/web, prod/ConfigMap/absent' } });
  assert.deepEqual(member.names('Service'), []);
  for (const filePaths of ['extra.yaml', ['extra.yaml']]) {
    const extra = web.config('x', 'extra');
    member.step('Apply', { rendered: [extra], with: { filePaths } });
    member.step('Delete', { rendered: [extra], with: { filePaths } });
    assert.equal(member.find('ConfigMap', 'extra'), undefined, String(filePaths));
  }
  const all = member.step('Delete', { with: { resources: '*' } });
  assert.ok(all.lines.some(({ message }) => message === 'Resources to delete are: '));
  assert.deepEqual(member.work, []);
});
