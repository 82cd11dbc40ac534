import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectMeta } from '../../api/object.ts';
import { allBuiltinResources } from '../builtin-resources.ts';
import { metaErrorsOnCreate, metaErrorsOnUpdate } from './meta-checks.ts';

const resourceOf = (group: string, name: string) => allBuiltinResources().find(r => r.group === group && r.resource === name)!;
const meta = (more: ObjectMeta = {}): ObjectMeta => ({ name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', ...more });

const cases: readonly [group: string, resource: string, times: number][] = [
  ['', 'configmaps', 4],
  ['apps', 'deployments', 3],
  ['', 'limitranges', 3],
  ['policy', 'poddisruptionbudgets', 2],
];

for (const [group, resource, times] of cases) {
  test(`a bad label of ${resource} is reported ${times} times on update`, () => {
    const errors = metaErrorsOnUpdate(resourceOf(group, resource), '', meta({ labels: { a: 'b c' } }), meta());
    assert.equal(errors.length, times);
  });
}

test('an unqualified finalizer is refused by most kinds', () => {
  const bad = meta({ finalizers: ['plain'] });
  assert.deepEqual(
    metaErrorsOnCreate(resourceOf('', 'configmaps'), bad).map(e => e.field),
    ['metadata.finalizers[0]'],
  );
  assert.deepEqual(metaErrorsOnCreate(resourceOf('coordination.k8s.io', 'leases'), bad), []);
});
