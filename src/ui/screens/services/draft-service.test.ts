import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinations, emptyDraft, selectorFault, serviceOf } from './draft-service.ts';
import type { ClusterDeployment } from './service-kinds.ts';

const draft = { ...emptyDraft, name: 'web', template: 'web-1-0-0' };

test('a service is named after itself unless told, and says no more than was filled in', () => {
  assert.deepEqual(serviceOf({ ...draft, selector: 'env=prod' }), {
    apiVersion: 'k0rdent.mirantis.com/v1beta1',
    kind: 'MultiClusterService',
    metadata: { name: 'web' },
    spec: {
      clusterSelector: { matchLabels: { env: 'prod' } },
      serviceSpec: { services: [{ name: 'web', namespace: 'web', template: 'web-1-0-0' }] },
    },
  });
  const full = serviceOf({ ...draft, release: 'a', namespace: 'b', values: 'replicas: 2\n\n', priority: '500' });
  assert.deepEqual(full.spec.serviceSpec, {
    provider: { config: { priority: 500 } },
    services: [{ name: 'a', namespace: 'b', template: 'web-1-0-0', values: 'replicas: 2\n' }],
  });
});

test('clusters are selected as kubectl does it', () => {
  const { clusterSelector } = serviceOf({ ...draft, selector: 'env=prod, tier in (a, b), !old, zone!=z, gpu' }).spec;
  assert.deepEqual(clusterSelector, {
    matchLabels: { env: 'prod' },
    matchExpressions: [
      { key: 'gpu', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'zone', operator: 'NotIn', values: ['z'] },
    ],
  });
  assert.equal(selectorFault('env=prod'), undefined);
  assert.equal(selectorFault(''), undefined);
  assert.match(selectorFault('env in (') ?? '', /./);
  assert.match(selectorFault('cpus > 4') ?? '', /cannot select by >/);
});

test('every cluster says whether the service would go there, or why not', () => {
  const cluster = (name: string, labels: object, more: object = {}) =>
    ({ metadata: { namespace: 'ns', name, labels, ...more } }) as unknown as ClusterDeployment;
  const all = [
    cluster('lab', { env: 'test' }),
    cluster('west', { env: 'prod' }),
    cluster('east', { env: 'prod' }),
    cluster('old', { env: 'prod' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  ];
  assert.deepEqual(destinations(serviceOf({ ...draft, selector: 'env=prod' }), all), [
    { target: 'ns/east', isMeant: true, why: '' },
    { target: 'ns/west', isMeant: true, why: '' },
    { target: 'ns/lab', isMeant: false, why: 'env is "test", not "prod"' },
    { target: 'ns/old', isMeant: false, why: 'the cluster is being removed' },
  ]);
  assert.ok(
    destinations(serviceOf(draft), all).every(({ isMeant }) => !isMeant),
    'an empty selector means none',
  );
});
