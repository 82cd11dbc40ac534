import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { encodeObject, Entry } from '../../store/entry.ts';
import { parseLabelSelector } from '../validation/label-selector.ts';
import { parseSelection } from './selection.ts';

const key = fc.constantFrom('app', 'a', 'pp', 'app.kubernetes.io/name', 'name', 'tier');
const value = fc.constantFrom('', 'web', 'app', '1', '2');
const requirement = fc.oneof(
  fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map(parts => parts.join('')),
  fc
    .tuple(key, fc.constantFrom(' in ', ' notin '), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([k, op, vs]) => `${k}${op}(${vs.join()})`),
  fc.tuple(key, fc.constantFrom('>', '<'), fc.constantFrom('1', '2')).map(parts => parts.join('')),
  fc.tuple(fc.constantFrom('', '!'), key).map(parts => parts.join('')),
);

test('the bytes of an object tell as much of its labels as the object itself', async t => {
  using cluster = await startMemoryCluster();
  const configMaps = cluster.catalog.find({ group: '', version: 'v1', resource: 'configmaps' })!;
  const place = { resource: configMaps.storeKey, namespace: 'default', name: 'one' };
  const things = fc.dictionary(key, value);
  await t.test('for any selector', () =>
    fc.assert(
      fc.property(things, things, fc.array(requirement, { minLength: 1, maxLength: 3 }), (labels, annotations, requirements) => {
        const text = requirements.join();
        const obj = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'default', labels, annotations } };
        const { matches } = parseSelection(configMaps, 'default', new URLSearchParams({ labelSelector: text }));
        assert.equal(matches!(new Entry(place, 1, encodeObject(obj))), parseLabelSelector(text).matches(labels), text);
      }),
      { numRuns: 500 },
    ),
  );
});
