import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../../api/define-kind.ts';
import { addQuantities, compareQuantities, parseQuantity, zeroQuantity } from '../../../api/quantity.ts';
import { Project } from '../kinds/project.ts';
import { accessAnnotations } from './access-names.ts';
import { compileQuotas, shareQuota, usedQuota, type ProjectNamespace } from './compile-quota.ts';

const project = (spec: Partial<Project['spec']>): Project =>
  newObject(Project, { namespace: 'c-m-abcdefgh', name: 'p-abcde' }, { displayName: 'Shop', clusterName: 'c-m-abcdefgh', ...spec });

const namespace = (name: string, annotations: Record<string, string> = {}, createdAt = '2026-01-01T00:00:00Z'): ProjectNamespace => ({
  name,
  createdAt,
  annotations,
});
const asks = (limit: unknown) => ({ [accessAnnotations.quota]: JSON.stringify({ limit }) });

test('namespaces get the default, or what they ask for', () => {
  const shared = shareQuota(
    project({
      resourceQuota: { limit: { pods: '10', requestsCpu: '4' } },
      namespaceDefaultResourceQuota: { limit: { pods: '2', requestsCpu: '500m' } },
    }),
    [namespace('a'), namespace('b', asks({ pods: '5' }))],
  );
  assert.deepEqual(shared, [
    ['a', { pods: '2', 'requests.cpu': '500m' }],
    ['b', { pods: '5', 'requests.cpu': '500m' }],
  ]);
});

test('whoever asks for more than is left gets nothing, the oldest first', () => {
  const shared = shareQuota(project({ resourceQuota: { limit: { pods: '10' } } }), [
    namespace('young', asks({ pods: '5' }), '2026-02-01T00:00:00Z'),
    namespace('old', asks({ pods: '7' })),
  ]);
  assert.deepEqual(shared, [
    ['old', { pods: '7' }],
    ['young', { pods: '0' }],
  ]);
});

test('a project says what it has given away, in its own words', () => {
  const limit = { pods: '10', requestsCpu: '4', extended: { 'requests.nvidia.com/gpu': '2' } };
  const quota = project({ resourceQuota: { limit }, namespaceDefaultResourceQuota: { limit: { pods: '2', requestsCpu: '500m' } } });
  const used = usedQuota(quota, [namespace('a'), namespace('b', asks({ pods: '5' })), namespace('c', asks({ pods: '9' }))]);
  assert.deepEqual(used, { pods: '7', requestsCpu: '1500m', extended: { 'requests.nvidia.com/gpu': '0' } });
  assert.deepEqual(usedQuota(quota, []), { pods: '0', requestsCpu: '0', extended: { 'requests.nvidia.com/gpu': '0' } });
  assert.equal(usedQuota(project({}), [namespace('a')]), undefined);
});

test('other resources are taken by their own names', () => {
  const [first] = shareQuota(project({ resourceQuota: { limit: { extended: { 'requests.nvidia.com/gpu': '2' } } } }), [
    namespace('a', asks({ extended: { 'requests.nvidia.com/gpu': '1' } })),
  ]);
  assert.deepEqual(first, ['a', { 'requests.nvidia.com/gpu': '1' }]);
});

test('containers get defaults by a LimitRange, which a namespace can change for itself', () => {
  const own = { [accessAnnotations.containerLimit]: JSON.stringify({ limitsCpu: '2' }) };
  const made = compileQuotas(project({ containerDefaultResourceLimit: { requestsCpu: '100m', limitsCpu: '1' } }), [
    namespace('a'),
    namespace('b', own),
  ]);
  const limits = made.map(({ kind, metadata, spec }) => [kind, metadata.namespace, (spec as { limits: unknown[] }).limits[0]]);
  assert.deepEqual(limits, [
    ['LimitRange', 'a', { type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '100m' } }],
    ['LimitRange', 'b', { type: 'Container', default: { cpu: '2' }, defaultRequest: { cpu: '100m' } }],
  ]);
});

test('whatever namespaces write, all together never get more than the project has', () => {
  const amount = fc.oneof(fc.constantFrom('1', '3', '500m', '2Ki', '-1', 'x', '', '1e3'), fc.string({ maxLength: 5 }));
  const annotation = fc.oneof(
    fc.record({ limit: fc.record({ pods: amount, requestsMemory: amount }, { requiredKeys: [] }) }).map(value => JSON.stringify(value)),
    fc.json(),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(annotation, { maxLength: 8 }), annotations => {
      const total = { pods: '7', 'requests.memory': '3Ki' };
      const shared = shareQuota(
        project({ resourceQuota: { limit: { pods: total.pods, requestsMemory: total['requests.memory'] } } }),
        annotations.map((text, i) => namespace(`n${i}`, { [accessAnnotations.quota]: text })),
      );
      for (const [resource, most] of Object.entries(total)) {
        const sum = shared.reduce((all, [, hard]) => addQuantities(all, parseQuantity(hard[resource]!)), zeroQuantity);
        assert.ok(compareQuantities(sum, parseQuantity(most)) <= 0);
      }
    }),
  );
});
