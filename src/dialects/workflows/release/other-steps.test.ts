import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../api/object.ts';
import { printJson } from '../../../util/json.ts';
import { SimulatedMember, web } from './simulated-member.ts';

const replicas = (member: SimulatedMember, name = 'web') => (member.find('Deployment', name)?.['spec'] as { replicas: number }).replicas;
const withRelease = (...more: KubeObject[]): SimulatedMember => {
  const member = new SimulatedMember();
  member.beginRun();
  member.step('RollingDeploy', { rendered: [web.deployment('web:a', { replicas: 4 }), web.config('a'), ...more] });
  return member;
};

test('Scale: a number, a share of what runs, and nothing that is no workload', () => {
  const member = withRelease();
  const scale = (given: Record<string, unknown>) => member.step('Scale', { with: { workload: 'Deployment/web', ...given } });
  scale({ instances: 2 });
  assert.equal(replicas(member), 2);
  scale({ instances: '50', unit: 'Percentage' });
  assert.equal(replicas(member), 1);
  scale({ instances: '0' });
  assert.equal(replicas(member), 0);
  assert.equal(scale({ instances: 'many' }).outcome, 'failed');
  const missing = scale({ workload: 'Deployment/nobody' });
  assert.equal(missing.outcome === 'failed' && missing.message, 'prod/Deployment/nobody not found.');
  const waits = scale({ instances: 1 });
  assert.deepEqual(waits.outcome === 'deliver' && waits.await.length, 1);
  const hurries = scale({ instances: 1, skipSteadyStateCheck: true });
  assert.deepEqual(hurries.outcome === 'deliver' && hurries.await, []);
});

test('Scale of what no release brought changes nothing else of it', () => {
  const member = withRelease();
  member.put(web.deployment('theirs:1', { name: 'theirs', replicas: 3 }));
  member.step('Scale', { with: { workload: 'prod/Deployment/theirs', instances: 1 } });
  assert.deepEqual(member.find('Deployment', 'theirs')?.['spec'], { replicas: 1 });
  assert.equal(member.find('Deployment', 'theirs')?.metadata.annotations?.['helm.sh/resource-policy'], 'keep');
});

test('Apply: files are applied, Jobs are waited for and let go, and no release is made', () => {
  const member = withRelease();
  const job: KubeObject = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once', namespace: 'prod' }, spec: {} };
  const begun = member.begin('Apply', { rendered: [job, web.config('x', 'extra')] });
  assert.deepEqual(begun.outcome === 'deliver' && begun.await.map(({ name }) => name), ['once']);
  assert.ok(member.find('Job', 'once'));
  member.end('Apply', {}, 'steady');
  assert.equal(member.find('Job', 'once'), undefined);
  assert.ok(member.find('ConfigMap', 'extra'));
  assert.equal(member.book.records.length, 1);
  assert.equal(member.step('Apply', {}).outcome, 'failed');
});

test('TrafficSplit: weights in the one route that is ours', () => {
  const route: KubeObject = {
    apiVersion: 'networking.istio.io/v1beta1',
    kind: 'VirtualService',
    metadata: { name: 'web', namespace: 'prod', annotations: { 'harness.io/managed': 'true' } },
    spec: { http: [{ route: [{ destination: { host: 'web' } }] }] },
  };
  const member = withRelease(route);
  const begun = member.step('TrafficSplit', { with: { canary: 20 } });
  assert.equal(begun.outcome, 'deliver', printJson(begun));
  assert.deepEqual((member.find('VirtualService', 'web')?.['spec'] as { http: unknown }).http, [
    {
      route: [
        { destination: { host: 'web', subset: 'stable' }, weight: 80 },
        { destination: { host: 'web', subset: 'canary' }, weight: 20 },
      ],
    },
  ]);
  assert.equal(member.state.outputs?.['virtualServiceName'], 'web');
  assert.equal(member.step('TrafficSplit', { with: { canary: 70, stable: 20 } }).outcome, 'failed');
  assert.equal(withRelease().step('TrafficSplit', { with: { canary: 20 } }).outcome, 'failed');
});

test('manifests that one step exports the next of its kind and phase inherits', () => {
  const member = new SimulatedMember();
  member.beginRun();
  const none = member.step('RollingDeploy', { with: { inheritManifests: true } });
  assert.equal(none.outcome === 'failed' && none.message, 'No kubernetes resources found to inherit');
  const rendered = [web.deployment('web:a'), web.secret('very secret')];
  member.step('RollingDeploy', { rendered, with: { exportManifests: true } });
  assert.deepEqual(member.work, []);
  assert.match(member.state.outputs?.['k8sResources.manifests'] ?? '', /image: web:a/);
  assert.doesNotMatch(printJson(member.state), /very secret|dmVyeSBzZWNyZXQ/);
  const other = member.step('RollingDeploy', { with: { inheritManifests: true }, settings: { phase: 'Other' } });
  assert.equal(other.outcome, 'failed');
  const changed = member.step('RollingDeploy', { rendered: [web.deployment('web:b')], with: { inheritManifests: true } });
  assert.match(changed.outcome === 'failed' ? changed.message : '', /has changed since/);
  const begun = member.step('RollingDeploy', { rendered, with: { inheritManifests: true } });
  assert.equal(begun.outcome, 'deliver');
  assert.ok(member.find('Deployment', 'web'));
  assert.equal(begun.lines[0]?.message, 'Manifests [Post template rendering] :');
  const said = begun.lines.map(({ message }) => message).join('\n');
  assert.match(said, /\*\*\*/);
  assert.doesNotMatch(said, /very secret/);
});
