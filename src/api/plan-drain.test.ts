import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from './define-kind.ts';
import { planDrain } from './plan-drain.ts';
import { Work } from './work.ts';

const work = (name: string, set?: string, more: object = {}) =>
  newObject(
    Work,
    { namespace: 'c-m-1', name, ...more, annotations: set === undefined ? {} : { 'k0rdent.mirantis.com/service-set': set } },
    { release: { name, namespace: 'web' }, manifests: [] },
  );
const set = (name: string, multiClusterService?: string) => ({
  metadata: { namespace: 'kcm-system', name },
  spec: multiClusterService === undefined ? {} : { multiClusterService },
});

test('a drain takes what chose the cluster, and nothing that would not come back', () => {
  const plan = planDrain({
    works: [
      work('chosen', 'kcm-system/a'),
      work('kept', 'kcm-system/b'),
      work('own', 'kcm-system/c'),
      work('lone'),
      work('leaving', undefined, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    ],
    sets: [set('a', 'web'), set('b', 'keeper'), set('c')],
    isKeeping: name => name === 'keeper',
  });
  assert.deepEqual(Object.fromEntries(plan.map(one => [one.work.metadata.name, one.whyItStays])), {
    chosen: undefined,
    kept: 'its owner says keepServicesOnSelectorMismatch',
    own: 'its owner names this cluster',
    lone: 'it was made for this cluster alone',
    leaving: undefined,
  });
});
